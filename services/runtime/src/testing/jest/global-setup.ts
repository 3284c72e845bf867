import { beginRun, endAbandonedRuns } from '../servers/test-run.ts';

/** Before the first test; servers are started only when a test asks for one. */
export default async function setUp(): Promise<void> {
  await endAbandonedRuns();
  beginRun();
}
