// Copies the C2PA's trust lists out of a clone of https://github.com/c2pa-org/conformance-public:
//   node scripts/refresh-trust-list.ts ../conformance-public
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificatesIn } from '../forensics/src/ai/trust-list/trust-list.ts';

const [clone] = process.argv.slice(2);
if (!clone) throw new Error('Name the folder of the clone.');
const own = join(import.meta.dirname, '../forensics/src/ai/trust-list');

/** Throws where a certificate cannot be read. */
const subjectsIn = (pem: string): Set<string> => {
  const subjects = certificatesIn(pem).map((one: string) => new X509Certificate(one).subject.replaceAll('\n', ', '));
  if (subjects.length === 0) throw new Error('a list without a certificate');
  return new Set(subjects);
};

for (const name of ['C2PA-TRUST-LIST.pem', 'C2PA-TSA-TRUST-LIST.pem']) {
  const fresh = readFileSync(join(clone, 'trust-list', name), 'utf8');
  const [before, after] = [subjectsIn(readFileSync(join(own, name), 'utf8')), subjectsIn(fresh)];
  writeFileSync(join(own, name), fresh);
  console.log(`${name}: ${after.size} subjects`);
  for (const subject of after) if (!before.has(subject)) console.log(`  + ${subject}`);
  for (const subject of before) if (!after.has(subject)) console.log(`  - ${subject}`);
}
const state = execFileSync('git', ['-C', clone, 'log', '-1', '--format=%cs %H', '--', 'trust-list'], {
  encoding: 'utf8',
});
const [date, commit] = state.trim().split(' ');
writeFileSync(join(own, 'state.json'), `${JSON.stringify({ date, commit }, null, 2)}\n`);
console.log(`state of ${date}; say so in SOURCES.md`);
