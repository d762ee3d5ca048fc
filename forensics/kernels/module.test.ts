import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const compiler = fileURLToPath(import.meta.resolve('assemblyscript/bin/asc.js'));

it.each([
  ['asconfig.json', 'pixels/kernels.generated.wasm'],
  ['trunk.asconfig.json', 'screen/trunk.generated.wasm'],
])('%s compiles to the committed %s', async (configuration, file) => {
  const folder = await mkdtemp(join(tmpdir(), 'kernels-'));
  try {
    const outFile = join(folder, 'kernels.wasm');
    const config = join(import.meta.dirname, configuration);
    await promisify(execFile)(process.execPath, [compiler, '--config', config, '--outFile', outFile]);
    const shipped = await readFile(join(import.meta.dirname, '../src', file));
    expect(shipped.equals(await readFile(outFile)), 'run: npm run build:kernels').toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
