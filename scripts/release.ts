// `npm run release -- VERSION`: everything that is published, from a clean checkout after `npm ci`. The same commit gives the same bytes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '@firsthand/cli/print.ts';
import { ensurePagesBuilt } from '../server/src/commands/build-pages.ts';
import { NotReleasable, readCheckout } from './release/checkout.ts';
import { chart, npmPackages, pythonPackage } from './release/clients.ts';
import { imageArchive } from './release/image.ts';
import { componentsOf, sbomOf } from './release/sbom.ts';
import { type ServerArchive, serverArchive } from './release/server-archive.ts';
import { signSums, sumsOf } from './release/sums.ts';
import { tarGz } from './release/tar.ts';

const USAGE = `usage: npm run release -- VERSION [--out FOLDER] [--key FILE] [--image FOLDER] [--server-only] [--dirty]
  --out FOLDER   in place of dist/release; emptied first
  --key FILE     Ed25519 private key in PEM that signs SHA256SUMS
  --image FOLDER OCI layout of the image, as docs/image.md builds it; once for each processor
  --server-only  only the server's archive, as CI does
  --dirty        also from a checkout with changes, to try`;

const LIMIT_MB = 250;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'dist/release' },
    key: { type: 'string' },
    image: { type: 'string', multiple: true, default: [] as string[] },
    'server-only': { type: 'boolean', default: false },
    dirty: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const [version] = positionals;
  if (!version) throw new NotReleasable(USAGE);
  const checkout = readCheckout(join(import.meta.dirname, '..'), version, values.dirty);
  const key = values.key === undefined ? null : readFileSync(values.key, 'utf8');
  // A key that cannot sign ends the command before minutes of work.
  if (key) signSums('', key);
  const images = values.image.map(layout => imageArchive(layout, checkout));
  await ensurePagesBuilt(line => console.error(line));
  const server = await serverArchive(checkout);
  report(server);
  const files = new Map<string, Buffer>([
    ...images.map(({ name, bytes }) => [name, bytes] as const),
    [`${server.name}.tar.gz`, tarGz(server.entries, checkout.time)],
    [`${server.name}.cdx.json`, Buffer.from(sbomOf(checkout, componentsOf(checkout.root, server.packages)))],
  ]);
  if (!values['server-only']) {
    const python = await pythonPackage(checkout);
    if (typeof python === 'string') console.log(python);
    for (const more of [
      await npmPackages(checkout),
      await chart(checkout),
      ...(typeof python === 'string' ? [] : [python]),
    ]) {
      for (const [name, bytes] of more) files.set(name, bytes);
    }
    if (images.length === 0) console.log('The image is not in it: --image names one that docs/image.md builds.');
  }
  write(files, key);
}

function write(files: Map<string, Buffer>, key: string | null): void {
  const out = resolve(values.out);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(out, name), bytes);
  const sums = sumsOf(files);
  if (key) writeFileSync(join(out, 'SHA256SUMS.sig'), signSums(sums, key));
  else console.log('SHA256SUMS is not signed: --key names the private key.');
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  console.log(`\n${out}\n${sums}`);
}

/** Prints the sizes by part, and stops where they are too many. */
function report({ entries }: ServerArchive): void {
  const sizes = new Map<string, number>();
  let total = 0;
  for (const { path, content } of entries) {
    if (!Buffer.isBuffer(content)) continue;
    const [, first, part, workspace] = /^[^/]+\/(?:app\/)?(.*node_modules\/((?:@[^/]+\/)?[^/]+)|([^/]+))/.exec(path)!;
    const name = part ?? workspace ?? first!;
    sizes.set(name, (sizes.get(name) ?? 0) + content.length);
    total += content.length;
  }
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const sorted = [...sizes].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(15).reduce((sum, [, bytes]) => sum + bytes, 0);
  const rows = [
    ...sorted.slice(0, 15),
    [`${Math.max(0, sorted.length - 15)} more`, rest] as const,
    ['all', total] as const,
  ];
  console.log(
    table(
      ['unpacked', 'size'],
      rows.map(([name, bytes]) => [name, megabytes(bytes)]),
    ),
  );
  if (total > LIMIT_MB * 1e6) throw new NotReleasable(`The server is larger than ${LIMIT_MB} MB.`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof NotReleasable)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
