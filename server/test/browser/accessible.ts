import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** What is left to ask of a page that was judged whole before: its colours in another scheme, or the rest in another width. */
const RULES = {
  all: { runOnly: TAGS },
  colours: { runOnly: COLOURS },
  'all but colours': { runOnly: TAGS, rules: Object.fromEntries(COLOURS.map(rule => [rule, { enabled: false }])) },
};

/** axe finds nothing to complain of. */
export async function expectAccessible(page: Page, name: string, about: keyof typeof RULES = 'all'): Promise<void> {
  // Reading half a megabyte of source takes longer than the checks: once a document.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(async rules => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof import('axe-core') };
    // Only violations: otherwise axe describes every element that passed, which takes a quarter of its time.
    // No frames: axe is loaded in none, and would wait half a second for each to answer.
    const { violations } = await inPage.run(document, { ...rules, resultTypes: ['violations'], iframes: false });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
    );
  }, RULES[about]);
  expect(found, `axe on ${name}`).toEqual([]);
}

/** Nothing is wider than the screen, once what is open has found its place in it. */
export async function expectNoSidewaysScroll(page: Page, name: string): Promise<void> {
  const wide = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return [];
      return [...document.querySelectorAll('body *')]
        .filter(node => node.getBoundingClientRect().right > clientWidth + 0.5)
        .map(node => `${node.tagName}.${node.className} ${Math.round(node.getBoundingClientRect().right)} px`);
    });
  await expect.poll(wide, { message: `${name} scrolls sideways`, timeout: 5_000 }).toEqual([]);
}
