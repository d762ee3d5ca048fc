import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { webhookExample } from '../verification/examples.ts';
import { WEBHOOK_EVENTS, WEBHOOK_SUMMARIES } from './webhooks.ts';

it('docs/events.md has every event with its summary and its example', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  const table = page.split('\n').flatMap(line => {
    const [, type, summary] = /^\| \[`([\w.]+)`\]\(#\w+\) \| (.+) \|$/.exec(line) ?? [];
    return type ? [[type, summary]] : [];
  });
  expect(table).toEqual(WEBHOOK_EVENTS.map(type => [type, WEBHOOK_SUMMARIES[type]]));

  const sections = page.split(/^## /m).slice(1);
  const bodies = sections.map(section => [
    /^`([\w.]+)`\n/.exec(section)?.[1],
    JSON.parse(/```json\n([\s\S]*?)\n```/.exec(section)![1]!),
  ]);
  expect(bodies).toEqual(WEBHOOK_EVENTS.map(type => [type, webhookExample(type)]));
});
