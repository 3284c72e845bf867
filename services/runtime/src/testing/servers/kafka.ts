import { findServer } from './optional-server.ts';

// Whether there is a broker must be known before tests are declared, so importing this file starts it.
const brokers = await findServer('kafka', process.env.KAFKA_BROKERS);

/**
 * `describe` for tests that need a real Kafka broker; without one they are skipped and named at the end.
 * @param body is given a function that resolves to the brokers, `host:port` each
 */
export function describeWithKafka(name: string, body: (brokers: () => Promise<string[]>) => void): void {
  const declare = brokers ? describe : describe.skip;
  declare(name, () => body(async () => [...(brokers ?? [])]));
}
