import type { Outcome, PaymentProcessor } from './processor.ts';

/** Named after the attempt: each is on record as a payment of its own. */
const refused = async (key: string): Promise<Outcome> => ({
  status: 'failed',
  intentId: `none:${key}`,
  decline: { reason: 'processor_missing', message: 'Payments are not set up here yet.', isHard: false },
  method: null,
});

/**
 * Stands where no payment company has been connected: every card is refused. Real buyers must never meet the sandbox,
 * which would sell to them for nothing.
 */
export const noProcessor: PaymentProcessor = {
  confirm: refused,
  charge: refused,
  read: async () => undefined,
  keyOf: async () => undefined,
  cancel: async () => undefined,
};
