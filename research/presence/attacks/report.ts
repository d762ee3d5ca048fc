import { type CheckName, type Presence, presenceBand } from '@firsthand/forensics/presence/presence.ts';
import { wilson } from '../../../bench/src/detection/statistics.ts';
import type { SentRow } from './over-http.ts';
import type { Attack } from './session.ts';

export interface RenderedRow {
  name: string;
  seed: number;
  presence: Presence;
  cpu_ms: number;
}

type Print = (line?: string) => void;

const CHECKS: readonly CheckName[] = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'hand', 'light'];

/** Prints what the checks say of rendered sessions. `moves`: how many each was asked for. */
export function reportRendered(
  rows: readonly RenderedRow[],
  classes: readonly Attack[],
  moves: string,
  print: Print,
): void {
  print('\n## Rendered sessions\n');
  print(`${moves} moves asked. Subjects, cameras, displays and hands are rendered; no phone was held.\n`);
  print(
    '| session | kind | number | passed | failed | inconclusive or not performed | clear under `strict` (95%) | clear under `lenient` (95%) | failed checks |',
  );
  print('|---|---|---|---|---|---|---|---|---|');
  for (const { name, kind } of classes) {
    const list = rows.filter(row => row.name === name);
    if (list.length === 0) continue;
    const result = (result: string): number => list.filter(({ presence }) => presence.result === result).length;
    const clear = (policy: 'strict' | 'lenient'): string =>
      shareOf(list.filter(({ presence }) => presenceBand(presence, policy) === 'clear').length, list.length);
    const cells = [
      name,
      kind,
      list.length,
      result('passed'),
      result('failed'),
      result('inconclusive') + result('not_performed'),
      clear('strict'),
      clear('lenient'),
      failures(list) || 'none',
    ];
    print(`| ${cells.join(' | ')} |`);
  }
}

/** Prints what became of rendered sessions that were sent to a service. */
export function reportSent(sent: readonly SentRow[], classes: readonly Attack[], print: Print): void {
  print('\n## Rendered sessions, over HTTP\n');
  print(
    'Each session was sent to a whole service, which drew the moves. Subjects, cameras, displays and hands are rendered; no phone was held. Rates of `verified`, with their 95% interval (Wilson).\n',
  );
  print(
    '| session | kind | sent, strict and lenient | verified under `strict` | verified under `lenient` | presence, both policies | checks that kept it from passing |',
  );
  print('|---|---|---|---|---|---|---|');
  for (const { name, kind } of classes) {
    const list = sent.filter(row => row.name === name);
    if (list.length === 0) continue;
    const of = (policy: 'strict' | 'lenient'): SentRow[] => list.filter(row => row.policy === policy);
    const verified = (policy: 'strict' | 'lenient'): string =>
      shareOf(of(policy).filter(({ label }) => label === 'verified').length, of(policy).length);
    const cells = [
      name,
      kind,
      `${of('strict').length}, ${of('lenient').length}`,
      verified('strict'),
      verified('lenient'),
      counted(list.map(({ presence }) => presence)),
      against(list) || 'none',
    ];
    print(`| ${cells.join(' | ')} |`);
  }
}

/** Prints the processor time of traces, from the file to the pictures of the dashboard. */
export function reportCost(name: string, list: readonly { cpu_ms: number }[], print: Print): void {
  print(`\nProcessor time of ${name}: median ${costOf(list, 0.5)} ms, 95% within ${costOf(list, 0.95)} ms.`);
}

/** Processor time within which a share of the traces was judged, ms. */
export function costOf(list: readonly { cpu_ms: number }[], share: number): number {
  const costs = list.flatMap(({ cpu_ms }) => (cpu_ms > 1 ? [cpu_ms] : [])).sort((a, b) => a - b);
  return Math.round(costs[Math.floor(share * (costs.length - 1))] ?? 0);
}

function shareOf(count: number, of: number): string {
  if (of === 0) return 'none sent';
  const [low, high] = wilson(count, of);
  return `${count} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function counted(words: readonly string[]): string {
  return [...new Set(words)].map(word => `${word} ${words.filter(other => other === word).length}`).join(', ');
}

/** The checks that a session must pass and that had no answer, and all that failed. */
function against(list: readonly SentRow[]): string {
  const needed = ['fresh', 'continuous', 'asked', 'depth'];
  return CHECKS.flatMap(name => {
    const failed = list.filter(row => row.failed.includes(name)).length;
    const silent = needed.includes(name) ? list.filter(row => row.silent.includes(name)).length : 0;
    return [...(failed ? [`${name} failed ${failed}`] : []), ...(silent ? [`${name} silent ${silent}`] : [])];
  }).join(', ');
}

function failures(list: readonly RenderedRow[]): string {
  return CHECKS.flatMap(name => {
    const count = list.filter(({ presence: { checks } }) => checks[name]?.evaluated && !checks[name].passed).length;
    return count > 0 ? [`${name} ${count}`] : [];
  }).join(', ');
}
