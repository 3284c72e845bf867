import type { ShownMeter } from '../meters/meter.ts';
import type { CustomerCopy } from '../replicas.ts';

/** What one customer consumed and was credited on one meter since its latest reset. */
export interface CustomerMeter {
  id: string;
  created_at: Date;
  modified_at: Date | null;
  customer_id: string;
  meter_id: string;
  /** Decimal text. */
  consumed_units: string;
  credited_units: number;
  /** Decimal text. */
  balance: string;
}

export interface CustomerMeterInContext {
  row: CustomerMeter;
  customer: CustomerCopy;
  meter: ShownMeter;
}
