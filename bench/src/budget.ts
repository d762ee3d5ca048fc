// Where the time of one photo goes, from its request to the first byte of its webhook, by the traces that the service exports:
//   node bench/src/budget.ts [--photos 200] [--threads 1] [--draw FILE.svg] [--write FILE]
// First alone, then at half of what the whole installation sustains. A stage that takes longer under load than alone waits for the processor
// or the disk; waiting for a thread is told apart, because the other photos' traces say when it was taken.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedSpan, startCollector } from '../../server/test/platform/telemetry/collector.ts';
import { arrivals, median, percentile } from './measure.ts';
import { openInstallation, withOwnNodes } from './own-nodes.ts';
import { photograph, untilTold } from './receivers.ts';
import { createReport, machine, optionsOf } from './report.ts';

const options = optionsOf({ photos: '200', threads: '1', draw: undefined });
const PHOTOS = Number(options.photos);
const THREADS = Number(options.threads);

/** The stages of a photo, in their order. Their milliseconds add up to the whole. */
const STAGES = {
  'accept: read, check, insert': 'API',
  'accept: commit': 'disk',
  'wait for a thread': 'queue',
  'wait for its turn': 'hand-over',
  'read row and bytes': 'worker',
  decode: 'analysis',
  fingerprint: 'analysis',
  screen: 'analysis',
  'other parts': 'analysis',
  'keep the preview': 'disk',
  'reverse search': 'PostgreSQL',
  'verdict: read, decide, write': 'PostgreSQL',
  'verdict: commit': 'disk',
  'announce and claim the webhook': 'hand-over',
} as const;
/** Until the spans of a photo have come. */
const EXPORT_MS = 2_000;
type Stage = keyof typeof STAGES;
type Budget = Record<Stage, number>;

interface Span {
  id: string;
  parent: string;
  name: string;
  from: number;
  to: number;
}

const report = createReport('The time of one photo');
const collector = await startCollector();
const env = {
  ANALYSIS_THREADS: `${THREADS}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '500',
  OTEL_BSP_MAX_QUEUE_SIZE: '100000',
};
await withOwnNodes({ env }, async nodes => {
  const { sendOne, sendAll, receiver } = await openInstallation(nodes);
  const photo = await photograph(1280, 960);
  const copies = (count: number) => Array.from({ length: count }, () => photo);
  await sendAll(copies(40), 8 * THREADS);
  const began = performance.now();
  await sendAll(copies(PHOTOS), 8 * THREADS);
  const most = PHOTOS / ((performance.now() - began) / 1_000);
  const alone = await budgets(async () => {
    for (let n = 0; n < PHOTOS; n += 1) await untilTold(receiver, await sendOne(photo));
  });
  const half = await budgets(async () => {
    receiver.reset();
    await arrivals(async () => void (await sendOne(photo)), { perSecond: most / 2, seconds: (2 * PHOTOS) / most });
    while (receiver.completed.size < receiver.sent.size) await sleep(20);
  });
  print(most, alone, half);
  if (options.draw) writeFileSync(options.draw, drawn(alone, half));
});
await collector.close();
report.write(options.write);

/** Budgets of the photos that `work` sends. */
async function budgets(work: () => Promise<void>): Promise<Budget[]> {
  await sleep(EXPORT_MS);
  collector.spans.length = 0;
  await work();
  await sleep(EXPORT_MS);
  const traces = [...Map.groupBy(collector.spans, span => span.traceId).values()]
    .map(spans => spans.map(spanOf))
    .filter(spans => spans.some(({ name }) => name.startsWith('job analyze')));
  const busy = traces.map(spans => ({
    from: find(spans, name => name.startsWith('job analyze')).from,
    to: Math.max(...spans.filter(({ name }) => name.startsWith('analysis ')).map(({ to }) => to)),
  }));
  return traces.map((spans, n) => budgetOf(spans, busy.toSpliced(n, 1)));
}

function spanOf({ spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano }: ReceivedSpan): Span {
  return {
    id: spanId,
    parent: parentSpanId,
    name,
    from: Number(startTimeUnixNano) / 1e6,
    to: Number(endTimeUnixNano) / 1e6,
  };
}

function find(spans: readonly Span[], matches: (name: string) => boolean, within?: Span): Span {
  const found = spans.filter(span => matches(span.name) && (!within || span.parent === within.id));
  if (found.length === 0) throw new Error(`the trace has no such span: ${spans.map(({ name }) => name).join(', ')}`);
  return found.reduce((last, span) => (span.from > last.from ? span : last));
}

function budgetOf(spans: readonly Span[], others: readonly { from: number; to: number }[]): Budget {
  const request = find(spans, name => name.startsWith('POST '));
  const accepted = find(spans, name => name === 'postgresql commit', request);
  const job = find(spans, name => name.startsWith('job analyze'));
  const parts = spans.filter(({ name }) => name.startsWith('analysis '));
  const analysis = { from: Math.min(...parts.map(({ from }) => from)), to: Math.max(...parts.map(({ to }) => to)) };
  const part = (name: string) =>
    parts.filter(span => span.name === `analysis ${name}`).reduce((sum, { from, to }) => sum + to - from, 0);
  const search = find(spans, name => name === 'reverse search');
  const settled = find(spans, name => name === 'postgresql commit', job);
  const webhook = find(spans, name => name === 'webhook');
  const waited = job.from - accepted.to;
  const forThread = Math.min(waited, taken({ from: accepted.to, to: job.from }, others));
  const [decode, fingerprint, screen] = [part('decode'), part('fingerprint'), part('screen')];
  return {
    'accept: read, check, insert': accepted.from - request.from,
    'accept: commit': accepted.to - accepted.from,
    'wait for a thread': forThread,
    'wait for its turn': waited - forThread,
    'read row and bytes': analysis.from - job.from,
    decode,
    fingerprint,
    screen,
    'other parts': analysis.to - analysis.from - decode - fingerprint - screen,
    'keep the preview': search.from - analysis.to,
    'reverse search': search.to - search.from,
    'verdict: read, decide, write': settled.from - search.to,
    'verdict: commit': settled.to - settled.from,
    'announce and claim the webhook': webhook.from - settled.to,
  };
}

/** Milliseconds of a wait in which every thread had another photo. */
function taken(wait: { from: number; to: number }, others: readonly { from: number; to: number }[]): number {
  const edges = others
    .map(({ from, to }) => ({ from: Math.max(from, wait.from), to: Math.min(to, wait.to) }))
    .filter(({ from, to }) => from < to)
    .flatMap(({ from, to }) => [
      { at: from, step: 1 },
      { at: to, step: -1 },
    ])
    .toSorted((a, b) => a.at - b.at);
  let busy = 0;
  let since = 0;
  let sum = 0;
  for (const { at, step } of edges) {
    if (busy >= THREADS) sum += at - since;
    busy += step;
    since = at;
  }
  return sum;
}

function whole(budget: Budget): number {
  return Object.values(budget).reduce((sum, ms) => sum + ms, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The slowest twentieth. */
function slowest(list: readonly Budget[]): Budget[] {
  const from = percentile(list.map(whole), 0.95);
  return list.filter(budget => whole(budget) >= from);
}

function print(most: number, alone: readonly Budget[], half: readonly Budget[]): void {
  report.print(
    `${machine()}. An API process, a worker with ${THREADS} analysis ${THREADS === 1 ? 'thread' : 'threads'}, PostgreSQL, phones and ` +
      `receiver on the same cores; every process exports its traces. ${alone.length} photos of 1280 × 960 one after another, then ` +
      `${half.length} at half of the ${most.toFixed(1)} a second that the whole sustains. Means in milliseconds.\n`,
  );
  report.print('| stage | whose | alone | at half load | of it, the slowest twentieth |\n|---|---|---|---|---|');
  const slow = slowest(half);
  const row = (name: string, whose: string, read: (budget: Budget) => number) =>
    report.row(name, whose, ...[alone, half, slow].map(list => mean(list.map(read)).toFixed(1)));
  for (const stage of stageNames()) row(stage, STAGES[stage], budget => budget[stage]);
  row('**whole**', '', whole);
  const spread = (list: readonly Budget[]) =>
    [0.5, 0.99].map(p => percentile(list.map(whole), p).toFixed(0)).join(' and ');
  report.print(`\nThe whole, p50 and p99: alone ${spread(alone)} ms, at half load ${spread(half)} ms.`);
  report.print(`Median of the waits for a thread: ${median(half.map(b => b['wait for a thread'])).toFixed(1)} ms.`);
}

/** Where the bars begin. */
const LEFT = 200;

const COLOURS = {
  API: '#2f6f9f',
  disk: '#8a6d3b',
  queue: '#b3403a',
  'hand-over': '#7a5195',
  worker: '#55606b',
  analysis: '#2e7d4f',
  PostgreSQL: '#3b5bdb',
} as const satisfies Record<(typeof STAGES)[Stage], string>;

/** One bar for each load, in milliseconds. Without a style sheet, which the policy of a page may refuse. */
function drawn(alone: readonly Budget[], half: readonly Budget[]): string {
  const bars = Object.entries({ alone, 'half load': half, 'its slowest twentieth': slowest(half) }).map(
    ([name, list]) => ({ name, stages: stageNames().map(stage => ({ stage, ms: mean(list.map(b => b[stage])) })) }),
  );
  const scale = 600 / Math.max(...bars.map(({ stages }) => stages.reduce((sum, { ms }) => sum + ms, 0)));
  const shapes = bars.flatMap(({ name, stages }, n) => {
    const y = 20 + 56 * n;
    let x = LEFT;
    const parts = stages.map(({ stage, ms }) => {
      const at = x;
      x += ms * scale;
      const size = `x="${at.toFixed(1)}" y="${y}" width="${(ms * scale).toFixed(1)}" height="30"`;
      const rect = `<rect ${size} fill="${COLOURS[STAGES[stage]]}" stroke="#fff" stroke-width="0.6"><title>${stage}: ${ms.toFixed(1)} ms</title></rect>`;
      const fits = ms * scale > 7 * stage.length;
      return rect + (fits ? `<text x="${(at + 4).toFixed(1)}" y="${y + 19}" fill="#fff">${stage}</text>` : '');
    });
    const whole = ((x - LEFT) / scale).toFixed(0);
    return [`<text x="10" y="${y + 19}">${name}, ${whole} ms</text>`, ...parts];
  });
  const legend = Object.entries(COLOURS).map(
    ([kind, fill], n) =>
      `<rect x="${10 + 110 * n}" y="192" width="12" height="12" fill="${fill}"/><text x="${28 + 110 * n}" y="202">${kind}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 810 218" role="img" aria-label="The time of one photo, by stage" font-family="system-ui, sans-serif" font-size="12" fill="#1c1c1c">
<rect width="810" height="218" fill="#fff"/>
${[...shapes, ...legend].join('\n')}
</svg>
`;
}

function stageNames(): Stage[] {
  return Object.keys(STAGES) as Stage[];
}
