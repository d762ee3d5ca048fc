import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile, hasCompiler, hashAll, MODULES, moduleFile, RECORD } from './modules.ts';

it('has compiled the modules since the sources last changed', async () => {
  expect(await hashAll(), 'run: npm run build:kernels').toEqual(JSON.parse(await readFile(RECORD, 'utf8')));
});

// Needs the compiler, which `npm run tools` installs. CI runs it.
it.skipIf(!hasCompiler()).each(MODULES)(
  '$configuration compiles to the committed $module',
  async ({ configuration, module }) => {
    const folder = await mkdtemp(join(tmpdir(), 'kernels-'));
    try {
      const outFile = join(folder, 'kernels.wasm');
      await compile(configuration, outFile);
      const shipped = await readFile(moduleFile(module));
      expect(shipped.equals(await readFile(outFile)), 'run: npm run build:kernels').toBe(true);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
