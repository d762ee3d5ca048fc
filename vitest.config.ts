import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Spreads the browser files evenly among the others: one by one, they leave half of two cores idle. */
class BrowserBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placed = (browser: boolean) =>
      sorted
        .filter(file => (file.project.name === 'browser') === browser)
        .map((file, at, { length }) => ({ file, place: at / length }));
    return [...placed(true), ...placed(false)].toSorted((a, b) => a.place - b.place).map(({ file }) => file);
  }
}

export default defineConfig({
  test: {
    // For two cores. Two files at once leave them idle for almost a third of the time, waiting for processes and timers.
    maxWorkers: 3,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: BrowserBetween },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            '{contract,stamps,evidence,report,forensics,look,sdk,cli,react,capture,dashboard,site,bench,scripts,examples,deploy}/**/*.test.{ts,tsx}',
          ],
          // A process for each file costs a sixth of their time.
          isolate: false,
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
        },
      },
    ],
  },
});
