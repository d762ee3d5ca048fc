// Markdown → HTML. The same files must read well on a forge, so the site adds to plain Markdown and asks for nothing of its own.
import GithubSlugger from 'github-slugger';
import MarkdownIt, { type Token } from 'markdown-it';
import { highlight } from './highlight.ts';
import { sequence } from './sequence.ts';

/** Languages of blocks that follow each other directly and say the same: shown as tabs. */
const TABS: Record<string, string> = { sh: 'curl', ts: 'TypeScript', python: 'Python' };
const COMMENT = /<!--[\s\S]*?-->/g;
const ADDRESS = /\b(src|href)="([^"]*)"/g;

export interface Section {
  heading: string;
  /** 1 for the title of the page. */
  level: number;
  /** The fragment, as GitHub makes it. */
  id: string;
  text: string;
}

const plain = new MarkdownIt({ html: true });

/** The words of an inline token, without its marks. */
const wordsOf = (token: Token): string =>
  (token.children ?? [])
    .map(child =>
      child.type === 'softbreak' || child.type === 'hardbreak'
        ? ' '
        : child.type.startsWith('html')
          ? ''
          : child.content,
    )
    .join('');

/** Every address that the text links to or shows. */
export function hrefsOf(markdown: string): string[] {
  return plain.parse(markdown, {}).flatMap(token => {
    if (token.type === 'html_block') return addressesOf(token.content);
    return (token.children ?? []).flatMap(child => {
      if (child.type === 'html_inline') return addressesOf(child.content);
      const href = child.attrGet('href') ?? child.attrGet('src');
      return href === null ? [] : [String(href)];
    });
  });
}
const addressesOf = (html: string) => [...html.replace(COMMENT, '').matchAll(ADDRESS)].map(([, , href]) => href!);

/** The text below each heading, with code and tables, in its order. */
export function sectionsOf(markdown: string): Section[] {
  const slugger = new GithubSlugger();
  const sections: Section[] = [];
  let heading = false;
  for (const token of plain.parse(markdown, {})) {
    if (token.type === 'heading_open') heading = true;
    else if (token.type === 'inline' && heading) {
      const words = wordsOf(token);
      sections.push({ heading: words, level: 0, id: slugger.slug(words), text: '' });
    } else if (token.type === 'heading_close') {
      heading = false;
      sections.at(-1)!.level = Number(token.tag.slice(1));
    } else if (token.type === 'inline' || token.type === 'fence') {
      const section = sections.at(-1);
      if (section) section.text += `${token.type === 'fence' ? token.content : wordsOf(token)}\n`;
    }
  }
  return sections;
}

/** @param linkOf the address of a link or picture, seen from the page it stands on */
export function createMarkdown(linkOf: (source: string, href: string) => string) {
  const markdown = new MarkdownIt({ html: true });
  const { rules } = markdown.renderer;
  markdown.core.ruler.push('site', state => {
    const { source } = state.env as { source: string };
    const rewrite = (html: string) =>
      html.replace(COMMENT, '').replace(ADDRESS, (_, name, href) => `${name}="${linkOf(source, href)}"`);
    const slugger = new GithubSlugger();
    for (const [at, token] of state.tokens.entries()) {
      if (token.type === 'html_block') token.content = rewrite(token.content);
      if (token.type === 'heading_open') token.attrSet('id', slugger.slug(wordsOf(state.tokens[at + 1]!)));
      for (const child of token.children ?? []) {
        if (child.type === 'html_inline') child.content = rewrite(child.content);
        for (const name of ['href', 'src']) {
          const href = child.attrGet(name);
          if (href !== null) child.attrSet(name, linkOf(source, String(href)));
        }
        if (child.type === 'image') child.attrSet('loading', 'lazy');
      }
    }
    nameRows(state.tokens);
    state.tokens = inTabs(
      namelessHeads(state.tokens.filter(token => token.type !== 'html_block' || token.content.trim() !== '')),
      state.Token,
    );
  });
  rules.heading_close = (tokens, at) => {
    const { id, words } = { id: tokens[at - 2]!.attrGet('id'), words: wordsOf(tokens[at - 1]!) };
    const { tag } = tokens[at]!;
    return tag === 'h1'
      ? `</${tag}>\n`
      : ` <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(words)}”">#</a></${tag}>\n`;
  };
  // A wide table scrolls by itself, with the keyboard too.
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, at) => {
    const language = tokens[at]!.info.trim().split(/\s+/)[0] ?? '';
    const drawing = language === 'mermaid' ? sequence(tokens[at]!.content, escapeHtml) : null;
    if (drawing !== null) return drawing;
    const label = tokens[at]!.meta?.tab as string | undefined;
    const code = `<pre tabindex="0"><code>${highlight(tokens[at]!.content, language)}</code></pre>`;
    return `<div class="code"${label ? ` data-tab="${label}"` : ''}>${code}</div>\n`;
  };
  return { render: (text: string, source: string): string => markdown.render(text, { source }) };
}

export const escapeHtml = plain.utils.escapeHtml;

/** Gives each row of a table that begins with a code the code as its id, so that a link can lead to it. Headings come first. */
function nameRows(tokens: readonly Token[]): void {
  const used = new Set(tokens.map(token => token.attrGet('id')));
  for (const [at, token] of tokens.entries()) {
    const cell = token.type === 'tr_open' && tokens[at + 1]!.type === 'td_open' ? tokens[at + 2]! : null;
    const [first, ...others] = cell?.children ?? [];
    if (first?.type !== 'code_inline' || others.length > 0) continue;
    if (!/^[a-z_]+$/.test(first.content) || used.has(first.content)) continue;
    used.add(first.content);
    token.attrSet('id', first.content);
  }
}

/** A nameless cell of a table's head is no heading: a screen reader would announce it before each cell below. */
function namelessHeads(tokens: Token[]): Token[] {
  for (const [at, { type, content }] of tokens.entries()) {
    const before = tokens[at - 1];
    if (type === 'inline' && content === '' && before?.type === 'th_open') before.tag = tokens[at + 1]!.tag = 'td';
  }
  return tokens;
}

/** Puts blocks of different languages that follow each other into one group. */
function inTabs(tokens: Token[], make: typeof Token): Token[] {
  const grouped: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const group: Token[] = [];
    for (let next = at; ; next++) {
      const token = tokens[next];
      const known = token?.type === 'fence' && token.info in TABS;
      if (!known || group.some(({ info }) => info === token.info)) break;
      group.push(token);
    }
    if (group.length < 2) {
      grouped.push(tokens[at]!);
      continue;
    }
    for (const token of group) token.meta = { tab: TABS[token.info] };
    grouped.push(html('<div class="tabs">\n'), ...group, html('</div>\n'));
    at += group.length - 1;
  }
  return grouped;

  function html(content: string): Token {
    const token = new make('html_block', '', 0);
    token.content = content;
    return token;
  }
}
