const testing = './services/runtime/src/testing/jest';

/** Run with `node --experimental-vm-modules`, as `npm test` does. */
export default {
  testEnvironment: 'node',
  roots: ['deploy', 'gateway', 'proto', 'services', 'test'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  globalSetup: `${testing}/global-setup.ts`,
  globalTeardown: `${testing}/global-teardown.ts`,
  reporters: ['default', `${testing}/reporter.ts`],
  maxWorkers: '100%',
  // A worker that is full of modules takes its time to end on a busy machine; one that leaks never does.
  workerGracefulExitTimeout: 10_000,
  // Room for a hook that waits for a server's first start on a busy machine.
  testTimeout: 30_000,
};
