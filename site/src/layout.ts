// The frame of every page: header, list of guides, the text, its headings, the foot.
import { LOGO } from '@firsthand/look/drawings.ts';
import type { Group } from './contents.ts';
import { escapeHtml, type Section } from './markdown.ts';

export interface Shown {
  address: string;
  title: string;
  about: string;
  /** The page's text as HTML. */
  html: string;
  sections: Section[];
  /** Whether the page is there as Markdown too. */
  markdown: boolean;
}

export interface Frame {
  contents: Group[];
  version: string;
  script: string;
  style: string;
  /** The address of a page or file of the site, seen from a page. */
  seenFrom(address: string, target: string): string;
}

const logo = `<svg class="logo" viewBox="0 0 172 46" role="img" aria-label="Firsthand"><g fill="none" stroke="currentColor" stroke-width="3.9" stroke-linecap="round" stroke-linejoin="round"><path d="${LOGO.letters}"/>${LOGO.rounds
  .map(({ cx, cy, r }) => `<circle cx="${cx}" cy="${cy}" r="${r}"/>`)
  .join(
    '',
  )}<g class="logo-dot" stroke-width="1.15" transform="${LOGO.dot.at}"><circle r="${LOGO.dot.radius}" stroke-width="1.5"/><path d="${LOGO.dot.blades}"/></g></g></svg>`;

/** An address as the page that is written sees it. */
type To = (target: string) => string;

/** Addresses that begin with a slash get the service's root from the server (server/src/pages/site.ts). */
export function layout(page: Shown, { contents, version, script, style, seenFrom }: Frame): string {
  const to: To = target => seenFrom(page.address, target);
  return `<!doctype html>
<html lang="en">
<head>
${head(page, { script, style }, to)}</head>
<body data-search="${to('search.json')}" data-api="${to('api')}">
<a class="skip" href="#content">Skip to the text</a>
<header class="bar">
<a class="home" href="${to('index')}" aria-label="Firsthand's guides">${logo}</a>
<button class="menu" type="button" popovertarget="guides">Guides</button>
<a class="reference" href="${to('api')}">API<span class="wide"> reference</span></a>
<button class="find" type="button" hidden>Search <kbd class="wide">/</kbd></button>
</header>
<div class="frame">
<nav id="guides" popover aria-label="Guides">
${contents.map(group => guides(group, page.address, to)).join('\n')}
</nav>
<main id="content" tabindex="-1">
<article>
${page.html}</article>
${neighbours(page, contents, to)}
</main>
${headings(page)}
</div>
<footer>
<a href="/docs/v${version}/${page.address === 'index' ? '' : page.address}">Version ${version}</a>
${page.markdown ? `<a href="${to(`${page.address}.md`)}">This page as Markdown</a>` : ''}
<a href="/v1/openapi.json">openapi.json</a>
<a href="/llms.txt">llms.txt</a>
<label class="theme" hidden>Colours <select></select></label>
</footer>
<dialog class="search" aria-label="Search">
<form method="dialog"><input type="search" aria-label="Search the guides and the API" placeholder="Search the guides and the API" autocomplete="off" spellcheck="false"><button type="submit">Close</button></form>
<p class="found" role="status"></p>
<ul></ul>
</dialog>
</body>
</html>
`;
}

function head(page: Shown, { script, style }: Pick<Frame, 'script' | 'style'>, to: To): string {
  const title = page.address === 'index' ? page.title : `${page.title} · Firsthand`;
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.about)}">
<link rel="icon" href="${to('favicon.svg')}">
${page.markdown ? `<link rel="alternate" type="text/markdown" href="${to(`${page.address}.md`)}">\n` : ''}<link rel="service-desc" type="application/json" href="/v1/openapi.json">
<link rel="stylesheet" href="${to(style)}">
<script type="module" src="${to(script)}"></script>
`;
}

/** Links to the guides before and after the page. */
function neighbours({ address }: Shown, contents: readonly Group[], to: To): string {
  const order = contents.flatMap(({ links }) => links);
  const at = order.findIndex(link => link.address === address);
  if (at < 0) return '';
  const shown = [
    { is: 'prev', says: 'Before', link: order[at - 1] },
    { is: 'next', says: 'Next', link: order[at + 1] },
  ].flatMap(({ is, says, link }) =>
    link
      ? [`<a class="${is}" rel="${is}" href="${to(link.address)}"><span>${says}</span> ${escapeHtml(link.name)}</a>`]
      : [],
  );
  return shown.length > 0 ? `<nav class="beside" aria-label="Before and next">${shown.join('')}</nav>` : '';
}

/** The headings of a page that has several. */
function headings({ sections }: Shown): string {
  const inside = sections.filter(({ level }) => level === 2);
  if (inside.length < 2) return '';
  const items = inside.map(({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`);
  return `<nav class="inside" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}

function guides({ name, links }: Group, current: string, to: To): string {
  const items = links.map(
    ({ name, address }) =>
      `<li><a href="${to(address)}"${address === current ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a></li>`,
  );
  if (name === 'The API') items.unshift(`<li><a href="${to('api')}">API reference</a></li>`);
  return `<p>${escapeHtml(name)}</p><ul>${items.join('')}</ul>`;
}
