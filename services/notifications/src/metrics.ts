import { registry } from '@tributary/runtime/metrics.ts';
import { Counter } from 'prom-client';

const webhookAttempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Requests to webhook endpoints; outcome is succeeded or failed',
  labelNames: ['outcome'],
  registers: [registry],
});
const emailAttempts = new Counter({
  name: 'email_attempts_total',
  help: 'Mails handed over, or not; outcome is succeeded or failed',
  labelNames: ['outcome'],
  registers: [registry],
});

const outcomeOf = (succeeded: boolean) => ({ outcome: succeeded ? 'succeeded' : 'failed' });

export const countWebhookAttempt = (succeeded: boolean): void => webhookAttempts.inc(outcomeOf(succeeded));
export const countEmailAttempt = (succeeded: boolean): void => emailAttempts.inc(outcomeOf(succeeded));
