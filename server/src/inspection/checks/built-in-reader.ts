// Tesseract from npm packages, for machines without the program. It takes what the program takes: a picture on standard
// input, the languages and the layout as arguments; it writes the program's table to standard output. It runs as a
// process of its own, so that a hang or a crash of the WebAssembly module ends only this process.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createWorker, OEM, type PSM } from 'tesseract.js';

const [languages, layout] = process.argv.slice(2) as [string, string];
const data = createRequire(import.meta.url).resolve(`@tesseract.js-data/${languages}/package.json`);

const reader = await createWorker(languages, OEM.LSTM_ONLY, {
  langPath: join(dirname(data), '4.0.0_best_int'),
  cacheMethod: 'none',
  errorHandler: fail,
});
await reader.setParameters({ tessedit_pageseg_mode: layout as PSM });
const { data: page } = await reader.recognize(await buffer(process.stdin), {}, { tsv: true, text: false });
process.stdout.write(page.tsv ?? '', () => process.exit(0));

function fail(error: unknown): never {
  process.stderr.write(`${error}\n`);
  process.exit(1);
}
