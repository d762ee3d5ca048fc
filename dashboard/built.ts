import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Area, LANGUAGES } from './src/base/dictionaries.ts';
import { ROUTES } from './src/routes.ts';

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}

export interface Weighed {
  name: string;
  /** Compressed JavaScript, with the words of the longest language. */
  kilobytes: number;
}

/** Weighs the built pages: the first routes with all that they load, each later one with what it adds to the frame. */
export function weighPages(): { first: Weighed[]; later: Weighed[] } {
  const dist = join(import.meta.dirname, 'dist');
  const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;
  const chunk = (name: string): Chunk => {
    if (!manifest[name]) throw new Error(`the build has no ${name}`);
    return manifest[name];
  };
  /** A chunk and everything that it cannot run without. */
  const needs = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of chunk(name).imports ?? []) needs(imported, found);
    return found;
  };
  const weigh = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + readFileSync(join(dist, `${chunk(name).file}.gz`)).length, 0) / 1_000;
  // The entry brings the English base itself; every other dictionary is a chunk of its own.
  const ofWords = (areas: readonly Area[]) =>
    Math.max(...Object.keys(LANGUAGES).map(tag => weigh(areas.map(area => `src/base/messages/${tag}/${area}.json`))));
  const entry = needs(Object.keys(manifest).find(name => manifest[name]!.isEntry)!);
  const frame = needs('src/entry/shell/frame.tsx', new Set(entry));
  const home = needs('src/home/home-page.tsx', new Set(frame));
  const base = weigh(['src/base/messages/de/base.json']);
  return {
    first: [
      { name: 'sign-in', kilobytes: weigh(entry) + base },
      { name: 'home in its frame', kilobytes: weigh(home) + base },
    ],
    later: ROUTES.map(([, file, areas]) => ({
      name: file.split('/').at(-1)!.replace('-page.tsx', ''),
      kilobytes: weigh([...needs(`src/${file}`)].filter(name => !frame.has(name))) + ofWords(areas),
    })).sort((a, b) => b.kilobytes - a.kilobytes),
  };
}
