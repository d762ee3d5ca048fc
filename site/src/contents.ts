// The list of pages in docs/README.md: sidebar, order and llms.txt come from it.
import { posix } from 'node:path';
import { addressOf } from './pages.ts';

export interface Group {
  name: string;
  links: { name: string; address: string; about: string }[];
}

/** Reads the list: a heading for each group, and below it `- [name](file): what it is about`. */
export function contentsOf(readme: string): Group[] {
  return readme
    .split(/^## /m)
    .slice(1)
    .map(part => ({
      name: part.slice(0, part.indexOf('\n')),
      links: [...part.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm)].map(([, name, href, about]) => ({
        name: name!,
        address: addressOf(posix.normalize(posix.join('docs', href!))),
        about: about!,
      })),
    }));
}
