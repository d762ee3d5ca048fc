import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is released. */
export interface Checkout {
  root: string;
  version: string;
  commit: string;
  /** Of the commit, or `SOURCE_DATE_EPOCH`: the time of every file, in seconds. */
  time: number;
}

/** Why nothing can be released from here, as a sentence. */
export class NotReleasable extends Error {}

/** The checkout as a release of `version`. Throws {@link NotReleasable}. */
export function readCheckout(root: string, version: string, dirty: boolean): Checkout {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new NotReleasable(
      'The release is made on Linux x64: the archive holds the programs that npm ci installed there.',
    );
  }
  const changed = git('status', '--porcelain');
  if (changed && !dirty) {
    throw new NotReleasable(
      `The checkout has changes that no commit holds:\n${changed}\nCommit them, or try with --dirty.`,
    );
  }
  const own = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
  if (own !== version) {
    throw new NotReleasable(
      `package.json has version ${own}. CONTRIBUTING.md says how ${version} gets into every file.`,
    );
  }
  const heading = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    .split('\n')
    .some(line => line === `## ${version}` || line.startsWith(`## ${version} `));
  if (!heading) throw new NotReleasable(`CHANGELOG.md has no section "## ${version}".`);
  const time = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'));
  return { root, version, commit: git('rev-parse', 'HEAD'), time };
}
