// Every file of the site but its script and its styles.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import Eleventy, { type Page as Rendered } from '@11ty/eleventy';
import { contentsOf } from './contents.ts';
import { type Frame, layout } from './layout.ts';
import { createMarkdown, sectionsOf } from './markdown.ts';
import { addressOf, collect, isLocal, type Page, ROOT, targetOf } from './pages.ts';

interface OutputFile {
  fileName: string;
  source: string | Uint8Array;
}

/** A section of a listed page, as the search reads it. */
export interface SearchEntry {
  page: string;
  heading: string;
  /** The address below `/docs/`, with its fragment. */
  address: string;
  text: string;
}

/** An address of the site, seen from a page, so that the site works below any path. */
function seenFrom(address: string, target: string): string {
  const path = posix.relative(posix.dirname(address), target === 'index' ? '.' : target);
  if (path === '') return './';
  if (target === 'index') return `${path}/`;
  return path.startsWith('.') ? path : `./${path}`;
}

/** A link of `source` as it works at the address `at`. */
function linkOf(source: string, href: string, at = addressOf(source)): string {
  if (href.startsWith('#') && at !== addressOf(source)) return seenFrom(at, addressOf(source)) + href;
  if (!isLocal(href)) return href;
  const fragment = /#.*$/.exec(href)?.[0] ?? '';
  return seenFrom(at, addressOf(targetOf(source, href))) + fragment;
}

const FOOT = '\n\n---\n\nEvery page: /llms.txt. All in one file: /llms-full.txt. The API: /v1/openapi.json.\n';

/** The page's Markdown with addresses that work at `at`: beside it in the site unless given. Code stays as it is. */
function forPrograms({ source, markdown }: Page, at?: string): string {
  const linked = markdown
    .split(/(^ *(?:```|~~~)[\s\S]*?^ *(?:```|~~~) *$|`[^`\n]*`)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replace(/\]\(([^)\s]+)\)/g, (_, href: string) => `](${withEnding(source, href, at)})`)
            .replace(/\bsrc="([^"]+)"/g, (_, href: string) => `src="${linkOf(source, href, at)}"`),
    );
  return linked.join('').trimEnd();
}

function withEnding(source: string, href: string, at?: string): string {
  const link = linkOf(source, href, at);
  const leadsToPage = isLocal(href) ? targetOf(source, href).endsWith('.md') : link !== href;
  if (!leadsToPage) return link;
  const [path, fragment] = link.split('#');
  return `${path!.endsWith('/') ? `${path}index` : path}.md${fragment ? `#${fragment}` : ''}`;
}

export async function render({ script, style }: Pick<Frame, 'script' | 'style'>): Promise<OutputFile[]> {
  const { pages, files } = collect();
  const byAddress = new Map([...pages.values()].map(page => [page.address, page]));
  const contents = contentsOf(pages.get('docs/README.md')!.markdown);
  const abouts = new Map(contents.flatMap(({ links }) => links.map(({ address, about }) => [address, about])));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const frame: Frame = { contents, version, script, style, seenFrom };
  const markdown = createMarkdown(linkOf);
  const pageOf = ({ filePathStem }: Rendered): Page =>
    byAddress.get(filePathStem === '/README' ? 'index' : filePathStem.slice(1))!;
  const framed = (page: Page, html: string): string => {
    const sections = sectionsOf(page.markdown);
    const title = sections[0]!.heading;
    const about = abouts.get(page.address) ?? title;
    return layout({ address: page.address, title, about, html, sections, markdown: page.guide }, frame);
  };

  const eleventy = new Eleventy('../docs', 'dist', {
    configPath: false,
    quietMode: true,
    config(config) {
      config.setUseGitIgnore(false);
      config.setTemplateFormats(['md']);
      // Only Markdown: no template language runs over the text first.
      config.addGlobalData('templateEngineOverride', 'md');
      config.setLibrary('md', { render: (text, data) => markdown.render(text, pageOf(data.page).source) });
      for (const page of pages.values()) {
        if (!page.source.startsWith('docs/')) config.addTemplate(`${page.address}.md`, page.markdown);
      }
      config.addGlobalData('permalink', () => data => `${pageOf(data.page).address}.html`);
    },
  });
  const rendered = await eleventy.toJSON();
  const guides = [...pages.values()].filter(({ guide }) => guide);
  return [
    ...rendered.map(({ outputPath, content }) => {
      const fileName = posix.relative('dist', outputPath);
      return { fileName, source: framed(byAddress.get(fileName.slice(0, -'.html'.length))!, content) };
    }),
    ...guides.map(page => ({ fileName: `${page.address}.md`, source: forPrograms(page) + FOOT })),
    ...[...files].map(file => ({ fileName: addressOf(file), source: readFileSync(join(ROOT, file)) })),
    { fileName: 'favicon.svg', source: readFileSync(join(ROOT, 'capture/public/favicon.svg')) },
    { fileName: 'llms.txt', source: forPrograms(pages.get('docs/README.md')!) + FOOT },
    { fileName: 'llms-full.txt', source: inOneFile(contents, byAddress) },
    {
      fileName: 'search.json',
      source: JSON.stringify(guides.filter(({ address }) => abouts.has(address)).flatMap(entriesOf)),
    },
    { fileName: '404.html', source: notThere(frame) },
  ];
}

/** Every listed page, in the order of the list, each with its address. */
function inOneFile(contents: Frame['contents'], byAddress: ReadonlyMap<string, Page>): string {
  const listed = contents.flatMap(({ links }) => links.map(({ address }) => byAddress.get(address)!));
  return listed
    .map(page => `[${page.address}](./${page.address}.md)\n\n${forPrograms(page, 'index')}\n`)
    .join('\n---\n\n');
}

const entriesOf = ({ address, markdown }: Page): SearchEntry[] => {
  const sections = sectionsOf(markdown);
  return sections.map(({ heading, id, text, level }) => ({
    page: sections[0]!.heading,
    heading,
    address: level === 1 ? address : `${address}#${id}`,
    text: text.replace(/\s+/g, ' '),
  }));
};

const notThere = (frame: Frame): string =>
  layout(
    {
      address: 'index',
      title: 'There is no such page',
      about: 'There is no such page',
      html: `<h1>There is no such page</h1>\n<p>This service has the guides of version ${frame.version}. Choose one from the list, or search.</p>\n`,
      sections: [],
      markdown: false,
    },
    frame,
  );
