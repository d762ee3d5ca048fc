import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { request } from 'undici';
import { PHONES, phoneOf } from '../../server/test/support/phones.ts';
import { plain } from '../../server/test/support/pictures.ts';
import { cpuSeconds, postmasterOf, residentMb } from './cpu.ts';
import { arrivals, median, percentile, watchPeak } from './measure.ts';
import { type OwnService, startOwnService } from './own-service.ts';
import { ask } from './receivers.ts';

export type Row = [what: string, measured: string, beside: string];

const ROUNDS = 12;
/** A round lasts longer than a second, so that each holds what the log does once a second. */
const PER_ROUND = 75;
const PHOTOS = 20;
const MB = 1_000_000;

let requests = 0;

const call = <T>({ url, tenant }: OwnService, path: string, body?: object) =>
  ask<T>(`${url}${path}`, { key: tenant.pk_test, headers: phoneOf(requests++), ...(body && { body }) });

const create = async (service: OwnService, photos: number): Promise<string> =>
  (await call<Verification>(service, '/v1/verifications', { max_captures: photos })).body.id;

const submit = (service: OwnService, id: string, bytes: Uint8Array) =>
  call(service, `/v1/verifications/${id}/captures`, { image_base64: Buffer.from(bytes).toString('base64') });

interface Round {
  perSecond: number;
  /** CPU time for a capture with its analysis. */
  cpuMs: number;
  samples: number[];
}

/** Captures with the log and without, in turns on two services that differ in nothing else. */
export async function benchCaptures(): Promise<Row[]> {
  const settings = { ...PHONES, RATE_LIMIT_PER_MINUTE: '1000000', ANALYSIS_THREADS: '1' };
  const withLog = await startOwnService(settings);
  const withoutLog = await startOwnService({
    ...settings,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'without-log.ts')}`,
  });
  try {
    const photo = await plain();
    const round = async (service: OwnService): Promise<Round> => {
      const ids: string[] = [];
      while (ids.length < PER_ROUND) ids.push(await create(service, 2));
      const samples: number[] = [];
      const roots = [service.pid, await postmasterOf(service.dataDir)];
      const before = await cpuSeconds(...roots);
      const began = performance.now();
      for (const id of ids) {
        const start = performance.now();
        await submit(service, id, photo);
        samples.push(performance.now() - start);
      }
      const seconds = (performance.now() - began) / 1_000;
      return {
        perSecond: PER_ROUND / seconds,
        cpuMs: (1_000 * ((await cpuSeconds(...roots)) - before)) / PER_ROUND,
        samples,
      };
    };
    await round(withLog);
    await round(withoutLog);
    const [logged, bare]: [Round[], Round[]] = [[], []];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      // The second run finds the caches of the machine warm.
      if (turn % 2 === 0) logged.push(await round(withLog));
      bare.push(await round(withoutLog));
      if (turn % 2 === 1) logged.push(await round(withLog));
    }
    const ratio = median(logged.map(({ perSecond }, turn) => perSecond / bare[turn]!.perSecond));
    const cpu = (rounds: Round[]) => median(rounds.map(({ cpuMs }) => cpuMs));
    const p50 = (rounds: Round[]) => median(rounds.flatMap(({ samples }) => samples));
    const rate = (rounds: Round[]) => median(rounds.map(({ perSecond }) => perSecond));
    return [
      [
        'captures accepted, one after another, with the log',
        `${rate(logged).toFixed(1)} per second`,
        `${rate(bare).toFixed(1)} without the log; median of ${ROUNDS} rounds in turns: ${ratio.toFixed(2)}`,
      ],
      ['the same, p50 of a capture', `${p50(logged).toFixed(1)} ms`, `${p50(bare).toFixed(1)} ms without the log`],
      [
        'the same, CPU time of service and database for a capture',
        `${cpu(logged).toFixed(1)} ms`,
        `${cpu(bare).toFixed(1)} ms without the log: ${(cpu(logged) / cpu(bare)).toFixed(2)} times`,
      ],
      await benchPublished(withLog, photo),
    ];
  } finally {
    await Promise.all([withLog.close(), withoutLog.close()]);
  }
}

/** From the answer to a capture until the signed state of the log holds its entry. */
async function benchPublished(service: OwnService, photo: Uint8Array): Promise<Row> {
  const db = await service.openPool(4);
  const samples: number[] = [];
  const one = async () => {
    const id = await create(service, 2);
    await submit(service, id, photo);
    const accepted = performance.now();
    for (;;) {
      const { rows } = await db.query(
        `select from evidence_statements s join evidence_logs l on l.id = s.log_id
         where s.verification_id = $1 and s.leaf_index < l.checkpoint_size`,
        [id],
      );
      if (rows.length > 0) break;
      await sleep(10);
    }
    samples.push(performance.now() - accepted);
  };
  await arrivals(one, { perSecond: 4, seconds: 20 });
  return [
    `capture accepted to signed checkpoint, p50 and p99 of ${samples.length}`,
    `${Math.round(median(samples))} and ${Math.round(percentile(samples, 0.99))} ms`,
    'at most one signature a second',
  ];
}

/** A bundle of 20 photos of 12 megapixels over HTTP, beside the same photos one by one over the same connection. */
export async function benchBundle(): Promise<Row[]> {
  const service = await startOwnService({ RATE_LIMIT_PER_MINUTE: '1000000' });
  try {
    const id = await create(service, PHOTOS);
    for (let n = 0; n < PHOTOS; n += 1) await submit(service, id, await largePhoto(n));
    let view = await call<Verification>(service, `/v1/verifications/${id}`);
    while (view.body.status !== 'completed') {
      await sleep(500);
      view = await call<Verification>(service, `/v1/verifications/${id}`);
    }
    const url = `${service.url}/v1/verifications/${id}/evidence`;
    const headers = { authorization: `Bearer ${service.tenant.pk_test}` };
    const bundle = async () => {
      const answer = await request(url, { headers });
      if (answer.statusCode !== 200) await sleep(500);
      return answer.statusCode === 200 ? drain(answer.body) : 0;
    };
    let bytes = 0;
    while (bytes === 0) bytes = await bundle();
    const photos = async () => {
      let sum = 0;
      for (const { image_url } of view.body.captures) sum += await drain((await request(image_url!)).body);
      return sum;
    };
    const originals = await photos();
    const timed = async (work: () => Promise<unknown>) => {
      const start = performance.now();
      await work();
      return (performance.now() - start) / 1_000;
    };
    const [streamed, single]: [number[], number[]] = [[], []];
    const before = await residentMb(service.pid);
    const peak = watchPeak(() => residentMb(service.pid), 20);
    for (let round = 0; round < 9; round += 1) {
      streamed.push(bytes / MB / (await timed(bundle)));
      single.push(originals / MB / (await timed(photos)));
    }
    const most = await peak();
    return [
      [
        `a bundle of ${PHOTOS} photos of 12 megapixels, ${Math.round(bytes / MB)} MB, streamed`,
        `${Math.round(median(streamed))} MB/s`,
        `${Math.round(median(single))} MB/s for its photos, one request each`,
      ],
      [
        'resident memory while it is streamed, peak',
        `${Math.round((most * 2 ** 20) / MB)} MB`,
        `${Math.round((before * 2 ** 20) / MB)} MB before`,
      ],
    ];
  } finally {
    await service.close();
  }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

/** Noise over a colour: about 4 MB as a phone's photo has. */
const largePhoto = (n: number): Promise<Buffer> =>
  sharp({
    create: {
      width: 4_000,
      height: 3_000,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 100 + 4 * n, sigma: 12 },
    },
  })
    .jpeg({ quality: 88 })
    .toBuffer();
