import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const inBrowser = ({ moduleId }: TestSpecification) => moduleId.includes('/server/test/browser/');

/**
 * Runs the server's files first, then the unit tests. A worker that meets a file of another project ends, and the new one loads everything again.
 * The browser files are spread evenly among the server's: one by one, they leave half of two cores idle.
 */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const unit = sorted.filter(file => file.project.name === 'unit');
    const server = sorted.filter(file => file.project.name !== 'unit');
    const placed = (browser: boolean) =>
      server.filter(file => inBrowser(file) === browser).map((file, at, { length }) => ({ file, place: at / length }));
    const mixed = [...placed(true), ...placed(false)].toSorted((a, b) => a.place - b.place);
    return [...mixed.map(({ file }) => file), ...unit];
  }
}

export default defineConfig({
  test: {
    // For two cores: tests wait for processes and timers. Three files at once leave the cores idle for 8% of the time, four for 2.5%.
    maxWorkers: 4,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: ByProject },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'examples/*/*.test.ts',
            '{contract,stamps,evidence,report,forensics,look,sdk,cli,mcp,react,react-native,capture,dashboard,site,bench,research,scripts,deploy}/**/*.test.{ts,tsx}',
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
          // Loading the server takes two seconds: the files of a worker share it. Each has services and databases of its own.
          isolate: false,
          globalSetup: ['server/test/support/global-setup.ts'],
        },
      },
    ],
  },
});
