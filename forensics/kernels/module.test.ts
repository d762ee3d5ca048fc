import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const compiler = fileURLToPath(import.meta.resolve('assemblyscript/bin/asc.js'));

it('kernels.generated.wasm is what its sources compile to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kernels-'));
  try {
    const outFile = join(folder, 'kernels.wasm');
    const config = join(import.meta.dirname, 'asconfig.json');
    await promisify(execFile)(process.execPath, [compiler, '--config', config, '--outFile', outFile]);
    const shipped = await readFile(join(import.meta.dirname, '../src/kernels.generated.wasm'));
    expect(shipped.equals(await readFile(outFile)), 'run: npm run build:kernels').toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
