// Which files of the repository are pages of the site: the guides in docs/, and what they link to.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { hrefsOf } from './markdown.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Page {
  /** Path in the repository. */
  source: string;
  /** Path below `/docs/`, without extension. The first page is `index`. */
  address: string;
  /** Markdown of the page; of a file that is not Markdown, its text in a code block. */
  markdown: string;
  /** Written by people as a page, and not a file of code. */
  guide: boolean;
}

/** Files that are served as they are. */
const AS_THEY_ARE = /\.(png|webp|svg|jpe?g|json)$/;

export const isLocal = (href: string): boolean => !/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(href);

/** The repository's file that a relative link in `source` leads to; of a folder, its README. */
export function targetOf(source: string, href: string): string {
  const path = posix.normalize(posix.join(posix.dirname(source), decodeURI(href.replace(/[?#].*$/, ''))));
  const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (path.startsWith('..') || !found) throw new Error(`${source} links to ${href}, which is not there`);
  return found.isDirectory() ? posix.join(path, 'README.md') : path;
}

export function addressOf(source: string): string {
  if (source === 'docs/README.md') return 'index';
  // Of the repository's own pages, SECURITY.md would take the place of docs/security.md where file names have no case.
  if (source === 'CHANGELOG.md') return 'changelog';
  if (!source.includes('/')) return `repository/${source.replace(/\.md$/, '').toLowerCase()}`;
  return source
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '');
}

/** Every page by its source, and the files that pages show or offer as they are. */
export function collect(): { pages: Map<string, Page>; files: Set<string> } {
  const pages = new Map<string, Page>();
  const files = new Set<string>();
  const waiting = globSync('docs/**/*.md', { cwd: ROOT }).sort();
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    if (pages.has(source)) continue;
    const page = read(source);
    pages.set(source, page);
    if (!page.guide) continue;
    for (const href of hrefsOf(page.markdown).filter(isLocal)) {
      const target = targetOf(source, href);
      if (AS_THEY_ARE.test(target)) files.add(target);
      else waiting.push(target);
    }
  }
  return { pages, files };
}

function read(source: string): Page {
  const text = readFileSync(join(ROOT, source), 'utf8');
  const guide = source.endsWith('.md');
  const markdown = guide
    ? text
    : `# ${posix.basename(source)}\n\n\`${source}\`\n\n~~~~${posix.extname(source).slice(1)}\n${text}\n~~~~\n`;
  return { source, address: addressOf(source), markdown, guide };
}
