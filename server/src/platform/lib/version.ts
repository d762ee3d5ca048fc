import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVER = join(import.meta.dirname, '..', '..', '..');

/** The version of this program. */
export const VERSION = (JSON.parse(readFileSync(join(SERVER, 'package.json'), 'utf8')) as { version: string }).version;

let commit: string | null | undefined;

/** The commit that this program was built from: of the image or the archive, else of the checkout; null if none of them says. */
export function commitOf(): string | null {
  if (commit === undefined) commit = archived() ?? checkedOut();
  return commit;
}

/** `0.1.0+<commit>`, in the form of https://semver.org. */
export const fullVersion = (): string => [VERSION, commitOf()].filter(Boolean).join('+');

/** `git archive` and the Dockerfile write the commit into the file. */
function archived(): string | null {
  const text = readFileSync(join(SERVER, 'commit.txt'), 'utf8').trim();
  return /^[0-9a-f]{7,64}$/.test(text) ? text : null;
}

function checkedOut(): string | null {
  const root = join(SERVER, '..');
  // Without a .git of its own the folder may lie in somebody else's repository.
  if (!existsSync(join(root, '.git'))) return null;
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, stdio: 'pipe', encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}
