import type MiniSearch from 'minisearch';
import type { SearchEntry } from '../render.ts';

interface Found extends SearchEntry {
  id: number;
  /** The operation of the API, where the entry is one. */
  operation?: string;
}

const SHOWN = 20;
/** Characters of the text around the first word found. */
const AROUND = 70;
const { search: file, api } = document.body.dataset;

let index: Promise<MiniSearch<Found>> | undefined;

/** Opens with the button or with /, and looks through every guide and every operation of the API. Nothing leaves the service. */
export function openSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('.find')!;
  const dialog = document.querySelector<HTMLDialogElement>('dialog.search')!;
  const input = dialog.querySelector('input')!;
  const list = dialog.querySelector('ul')!;
  const status = dialog.querySelector('.found')!;
  const open = () => {
    dialog.showModal();
    input.select();
    index ??= load();
  };
  button.hidden = false;
  button.addEventListener('click', open);
  document.addEventListener('keydown', event => {
    const writes = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const asks = (event.key === '/' && !writes) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!asks || dialog.open) return;
    event.preventDefault();
    open();
  });
  input.addEventListener('input', async () => {
    index ??= load();
    const words = input.value;
    const found = (await index).search(words).slice(0, SHOWN) as unknown as (Found & { terms: string[] })[];
    if (words !== input.value) return;
    list.replaceChildren(...found.map(itemOf));
    status.textContent =
      words === ''
        ? ''
        : found.length === 0
          ? 'Nothing found.'
          : `${found.length === SHOWN ? 'The first ' : ''}${found.length} found`;
  });
  dialog.addEventListener('keydown', event => {
    if (event.key === 'Enter' && event.target === input) {
      event.preventDefault();
      list.querySelector('a')?.click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [input, ...list.querySelectorAll('a')];
    stops[stops.indexOf(document.activeElement as HTMLInputElement) + step]?.focus();
  });
  list.addEventListener('click', event => {
    // A link to another part of this page leaves the dialog open otherwise.
    if ((event.target as HTMLElement).closest('a')) dialog.close();
  });
}

async function load(): Promise<MiniSearch<Found>> {
  const [{ default: Search }, guides, operations] = await Promise.all([
    import('minisearch'),
    fetch(file!).then(answer => answer.json() as Promise<SearchEntry[]>),
    operationsOf(),
  ]);
  const search = new Search<Found>({
    fields: ['heading', 'page', 'text'],
    storeFields: ['heading', 'page', 'text', 'address', 'operation'],
    // MiniSearch keeps symbols in its words, such as the backticks around a name.
    tokenize: text => text.split(/[^\p{L}\p{N}]+/u),
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: term => (term.length > 5 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  search.addAll([...guides, ...operations].map((entry, id) => ({ id, ...entry })));
  return search;
}

type Operation = { summary?: string; description?: string; tags?: string[] };

async function operationsOf(): Promise<(SearchEntry & { operation: string })[]> {
  const { href } = document.querySelector<HTMLLinkElement>('link[rel=service-desc]')!;
  const { paths } = (await (await fetch(href)).json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { summary = '', description = '', tags = [] }]) =>
      tags.length === 0
        ? []
        : [
            {
              page: 'API reference',
              heading: summary,
              operation: `${method.toUpperCase()} ${path}`,
              address: `#tag/${tags[0]!.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}/${method.toUpperCase()}${path}`,
              text: `${method.toUpperCase()} ${path} ${description.replaceAll('`', '')}`,
            },
          ],
    ),
  );
}

function itemOf({ page, heading, text, address, operation, terms }: Found & { terms: string[] }): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = operation
    ? `${api}${address}`
    : `${file!.replace('search.json', '')}${address.replace(/^index(?=#|$)/, '')}`;
  const name = document.createElement('strong');
  name.textContent = heading;
  const where = document.createElement('span');
  where.textContent = operation ?? (page === heading ? '' : page);
  const part = document.createElement('p');
  part.append(...marked(text, terms));
  link.append(name, ' ', where, part);
  item.append(link);
  return item;
}

/** The text around the first word found, with the words marked. Terms are only letters and digits. */
function marked(text: string, terms: string[]): Node[] {
  const pattern = new RegExp(`(${terms.join('|')})`, 'iu');
  const at = text.search(pattern);
  const from = Math.max(0, at - AROUND);
  const part = `${from > 0 ? '…' : ''}${text.slice(from, from + 3 * AROUND)}`;
  return part.split(pattern).map((piece, index) => {
    if (index % 2 === 0) return document.createTextNode(piece);
    const mark = document.createElement('mark');
    mark.textContent = piece;
    return mark;
  });
}
