import MiniSearch from 'minisearch';
import * as z from 'zod';
import { ToolError } from '../service.ts';
import { tool } from '../tool.ts';
import { READS } from './fields.ts';

interface Section {
  page: string;
  heading: string;
  address: string;
  text: string;
}

const SHOWN = 6;
const TIMEOUT_MS = 30_000;
const MAX_TEXT = 3_000;

export const searchGuides = tool({
  name: 'search_guides',
  title: 'Search the guides',
  description:
    'Searches the guides of this Firsthand service, in English: how the API works, what a verdict means, how to run it.',
  hints: READS,
  input: { query: z.string().min(1).max(200).describe('A few words, such as: webhook signature') },
  async run({ query }, { service, signal }) {
    const answer = await fetch(`${service.url}/docs/search.json`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch(() => null);
    if (!answer?.ok) throw new ToolError('The guides of the service could not be loaded.');
    const sections = (await answer.json()) as Section[];
    const search = new MiniSearch<Section & { id: number }>({
      fields: ['heading', 'page', 'text'],
      tokenize: text => text.split(/[^\p{L}\p{N}]+/u),
      searchOptions: { boost: { heading: 4, page: 2 }, prefix: true },
    });
    search.addAll(sections.map((section, id) => ({ id, ...section })));
    const found = search
      .search(query)
      .slice(0, SHOWN)
      .map(({ id }) => sections[id as number]!);
    return {
      facts: {
        sections: found.map(({ page, heading, address, text }) => ({
          page,
          heading,
          url: `${service.url}/docs/${address.replace(/^index(?=#|$)/, '')}`,
          text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text,
        })),
      },
    };
  },
});
