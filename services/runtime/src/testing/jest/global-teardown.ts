import { currentRun, endRun } from '../servers/test-run.ts';

/** After the last test. */
export default async function tearDown(): Promise<void> {
  await endRun(currentRun());
}
