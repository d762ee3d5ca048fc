import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Browser files one by one between the others: Chromium draws without a graphics card, and waits for pages in between. */
class BrowserBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const inBrowser = sorted.filter(file => file.project.name === 'browser');
    const others = sorted.filter(file => file.project.name !== 'browser');
    const each = others.length / inBrowser.length;
    return [
      ...inBrowser.flatMap((file, at) => [file, ...others.slice(Math.round(at * each), Math.round((at + 1) * each))]),
      ...(inBrowser.length === 0 ? others : []),
    ];
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
