import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnalysisPool, createAnalysisPool } from './pool.ts';

const picture = () =>
  sharp({ create: { width: 600, height: 400, channels: 3, background: '#58a' } })
    .jpeg()
    .toBuffer();

describe('createAnalysisPool', () => {
  let pool: AnalysisPool | undefined;
  afterEach(() => pool?.close());

  it('analyses in threads and answers each caller with its own picture', async () => {
    pool = createAnalysisPool({ threads: 2, timeoutMs: 30_000, memoryMb: 256 });
    const small = await sharp({ create: { width: 10, height: 20, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const [first, second] = await Promise.all([
      pool.analyze({ bytes: await picture(), signals: ['ai'] }),
      pool.analyze({ bytes: small, signals: ['ai'] }),
    ]);
    expect(first.info).toMatchObject({ contentType: 'image/jpeg', width: 600, height: 400 });
    expect(second.info).toMatchObject({ contentType: 'image/png', width: 10, height: 20 });
    expect((await pool.inspect(small)).preview.length).toBeGreaterThan(100);
  });

  it('names the fault of a bad picture and goes on with the next', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 30_000, memoryMb: 256 });
    await expect(pool.analyze({ bytes: Buffer.from('hello'), signals: ['ai'] })).rejects.toMatchObject({
      name: 'ImageFault',
      code: 'not_an_image',
    });
    expect((await pool.analyze({ bytes: await picture(), signals: ['ai'] })).info.width).toBe(600);
  });

  it('ends a thread at its time limit and replaces it', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 1, memoryMb: 256 });
    const bytes = await picture();
    await expect(pool.analyze({ bytes, signals: ['screen'] })).rejects.toMatchObject({ code: 'timeout' });
    await expect(pool.analyze({ bytes, signals: ['screen'] })).rejects.toMatchObject({ code: 'timeout' });
  });

  it('starts its threads ahead when it warms up, and the pictures that follow find them', async () => {
    let started = 0;
    const count = () => void started++;
    subscribe('worker_threads', count);
    try {
      pool = createAnalysisPool({ threads: 2, timeoutMs: 30_000, memoryMb: 256 });
      await pool.warmUp();
      expect(started).toBe(2);
      const bytes = await picture();
      await Promise.all([1, 2, 3].map(() => pool?.analyze({ bytes, signals: ['screen'] })));
      expect(started).toBe(2);
    } finally {
      unsubscribe('worker_threads', count);
    }
  });

  it('ends a warming up when it is closed', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 30_000, memoryMb: 256 });
    const warming = pool.warmUp();
    await pool.close();
    await expect(warming).resolves.toBeUndefined();
  });

  it('answers what still waits when it is closed', async () => {
    pool = createAnalysisPool({ threads: 1, timeoutMs: 30_000, memoryMb: 256 });
    const bytes = await picture();
    const waiting = [1, 2].map(() => pool?.analyze({ bytes, signals: [] }).catch((cause: unknown) => cause));
    await pool.close();
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ code: 'closed' });
    await expect(pool.analyze({ bytes, signals: [] })).rejects.toMatchObject({ code: 'closed' });
  });
});
