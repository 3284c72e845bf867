import { newId } from '@tributary/proto/id.ts';

/** An event as an integrator sends it: about 320 bytes of JSON, ten metadata values. */
export interface SentEvent {
  name: string;
  customer_id: string;
  external_id?: string;
  timestamp: string;
  metadata: Record<string, string | number | boolean>;
}

export interface EventSource {
  customers: readonly string[];
  /** Every event carries an id to drop repeats by. */
  hasExternalIds: boolean;
}

const RUN = newId().slice(0, 8);
let made = 0;

/** Events that no run has sent before. */
export function makeEvents(count: number, { customers, hasExternalIds }: EventSource): SentEvent[] {
  const timestamp = new Date(Date.now() - 60_000).toISOString();
  return Array.from({ length: count }, () => {
    made += 1;
    return {
      name: 'completion',
      customer_id: customers[made % customers.length]!,
      ...(hasExternalIds ? { external_id: `${RUN}-${made}` } : {}),
      timestamp,
      metadata: {
        model: 'large-2',
        region: 'eu-west-1',
        route: `/v1/things/${made % 100}`,
        tokens: made % 5_000,
        latency: 12.5 + (made % 10),
        cached: made % 3 === 0,
        attempt: 1,
        plan: 'scale',
      },
    };
  });
}

/** The same events as rows for the database, each under an id of its own. */
export const toRow = (event: SentEvent) => ({ id: newId(), ...event });
