// Sends every picture of a folder with a MANIFEST.tsv through a running service, as a tenant and an end user would.
// Prints the results by class and source:
//   node bench/src/real-images.ts --data FOLDER [--url URL] [--write FILE]
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, Firsthand } from '@firsthand/sdk';
import { createReport, optionsOf } from './report.ts';

const options = optionsOf({
  data: undefined,
  url: 'http://localhost:8080',
  'first-run': 'data/first-run.json',
});
if (!options.data) throw new Error('--data names the folder with MANIFEST.tsv');
const PARALLEL = 4;
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  avif: 'image/avif',
};

interface Item {
  kind: string;
  path: string;
}
interface Outcome extends Item {
  /** Label of the verdict, or the status if there is none, or the error code of the refusal. */
  outcome: string;
  reason: string;
  ai: string;
}

const { pk_test: key } = JSON.parse(await readFile(options['first-run'], 'utf8')) as { pk_test: string };
// Four photos at once may be more than an address is allowed in a minute.
const client = new Firsthand(key, { baseUrl: options.url, maxRetries: 10 });
const items = (await readFile(join(options.data, 'MANIFEST.tsv'), 'utf8'))
  .split('\n')
  .slice(1)
  .map(line => line.split('\t'))
  .filter(([, path]) => TYPES[path?.split('.').at(-1)?.toLowerCase() ?? ''])
  .map(([kind, path]): Item => ({ kind: kind!, path: path! }));

const outcomes: Outcome[] = [];
let position = 0;
await Promise.all(
  Array.from({ length: PARALLEL }, async () => {
    while (position < items.length) {
      const item = items[position++]!;
      outcomes.push(await play(item));
      if (process.stderr.isTTY)
        process.stderr.write(`\r${outcomes.length}/${items.length} ${item.path.slice(-60).padEnd(60)}`);
    }
  }),
);
const table = tableOf(outcomes);
const report = createReport('Real pictures through the running service');
report.print(table);
report.write(options.write);

async function play(item: Item): Promise<Outcome> {
  const bytes = await readFile(join(options.data!, item.path));
  const contentType = TYPES[item.path.split('.').at(-1)!.toLowerCase()]!;
  const { id } = await client.verifications.create({ signals_required: ['screen', 'ai', 'depth'] });
  try {
    await client.captures.upload(id, bytes, { contentType });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = error.fields[0]?.message ?? error.code;
    return { ...item, outcome: `refused: ${reason}`, reason: '', ai: '' };
  }
  const { verdict, status } = await client.verifications.waitForVerdict(id);
  return {
    ...item,
    outcome: verdict?.label ?? `status ${status}`,
    reason: verdict?.reason_code ?? '',
    ai: (verdict?.signals.ai_detection as { label?: string } | undefined)?.label ?? '',
  };
}

function tableOf(all: readonly Outcome[]): string {
  const groups = Map.groupBy(all, ({ kind, path }) => `${kind}|${path.split('/')[1]}`);
  const rows = [...groups].sort().map(([group, members]) => {
    const [kind, source] = group.split('|');
    const count = (test: (o: Outcome) => boolean) => String(members.filter(test).length || '·');
    return [
      kind,
      source,
      String(members.length),
      count(o => o.outcome === 'verified'),
      count(o => o.outcome === 'suspicious'),
      count(o => o.outcome === 'failed'),
      count(o => o.reason === 'screen_detected'),
      count(o => o.ai === 'likely_ai'),
      count(o => !['verified', 'suspicious', 'failed'].includes(o.outcome)),
    ];
  });
  const head = ['class', 'source', 'pictures', 'verified', 'suspicious', 'failed', 'screen', 'likely AI', 'refused'];
  const line = (cells: (string | undefined)[]) => `| ${cells.join(' | ')} |`;
  const refusals = all.filter(o => o.outcome.startsWith('refused') || o.outcome.startsWith('status'));
  return [
    line(head),
    line(head.map((_, index) => (index < 2 ? '---' : '---:'))),
    ...rows.map(line),
    ...(refusals.length > 0 ? ['', ...refusals.map(o => `- \`${o.path}\`: ${o.outcome}`)] : []),
  ].join('\n');
}
