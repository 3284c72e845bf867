import type { AggregatedResult, AssertionResult } from '@jest/test-result';

/** Ends jest's output with the names of skipped tests and one line that counts: `N passed, N failed, N skipped`. */
export default class PlainSummary {
  onRunComplete(_contexts: unknown, result: AggregatedResult): void {
    const tests = result.testResults.flatMap((file) => file.testResults);
    const skipped = tests.filter((test) => test.status === 'pending' || test.status === 'todo');
    const passed = tests.filter((test) => test.status === 'passed').length;
    // A file that could not even be loaded has no tests; it counts as one that failed.
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    const lines = [
      ...skipped.map((test) => `skipped: ${nameOf(test)}`),
      `${passed} passed, ${failed} failed, ${skipped.length} skipped`,
    ];
    // Jest adds its own summary behind every other reporter; this is to be the last line all the same.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

const nameOf = (test: AssertionResult) => [...test.ancestorTitles, test.title].join(' > ');
