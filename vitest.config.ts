import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // For two cores. Two files at once leave them idle for almost a third of the time, waiting for processes and timers.
    maxWorkers: 3,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            '{contract,stamps,evidence,report,forensics,look,sdk,cli,react,capture,dashboard,site,bench,scripts,examples,deploy}/**/*.test.{ts,tsx}',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: ['server/test/browser/**'],
          // Loading the server takes two seconds: the files of a worker share it. Each has services and databases of its own.
          isolate: false,
          globalSetup: ['server/test/support/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['server/test/browser/**/*.test.ts'],
          globalSetup: ['server/test/support/global-setup.ts'],
          isolate: false,
          // Chromium draws without a graphics card and fills both cores by itself: two files at once take twice the time.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
