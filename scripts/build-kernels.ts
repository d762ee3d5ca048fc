// `npm run build:kernels`: compiles forensics/kernels (AssemblyScript) to the committed WebAssembly modules and records their hashes.
import { writeFile } from 'node:fs/promises';
import { compile, hasCompiler, hashAll, MODULES, moduleFile, RECORD } from '../forensics/kernels/modules.ts';

if (!hasCompiler()) {
  console.error('The AssemblyScript compiler is missing. Install it first: npm run tools');
  process.exit(1);
}
for (const { configuration, module } of MODULES) await compile(configuration, moduleFile(module));
await writeFile(RECORD, `${JSON.stringify(await hashAll(), null, 2)}\n`);
