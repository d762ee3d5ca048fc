import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { ask, submit, until } from '../support/harness.ts';
import { firstRunOf, freePort, startServiceProcess } from '../support/service-process.ts';

/** More than the two threads analyse at once, so that one waits. */
const PICTURES = 3;
const MAX_RESIDENT_MB = 900;

/** A progressive JPEG of full colour makes a decoder hold its coefficients: six bytes a pixel, at whatever scale. */
const KINDS = {
  PNG: (picture: Sharp) => picture.png({ compressionLevel: 9 }),
  'progressive JPEG': (picture: Sharp) => picture.jpeg({ progressive: true, chromaSubsampling: '4:4:4' }),
};

test.runIf(process.platform === 'linux').each(Object.entries(KINDS))(
  `the service analyses ${PICTURES} pictures of 100 megapixels (%s), sent at once, twice each, within ${MAX_RESIDENT_MB} MB`,
  async (kind, encode) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-large-'));
    const service = startServiceProcess({ dataDir, port: await freePort(), env: { ANALYSIS_THREADS: '2' } });
    const peakMb = async () => {
      const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024;
    };
    try {
      await service.ready();
      const { pk_test: key } = await firstRunOf(dataDir);
      const plain = sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#7a8' } });
      const bytes = await encode(plain).toBuffer();
      expect(bytes.length).toBeLessThan(6 * 1_048_576);
      const frame = { motion_frame_base64: bytes.toString('base64') };
      const body = { max_captures: 1, signals_required: ['screen', 'ai', 'reverse', 'depth'] };
      const ids = await Promise.all(
        Array.from({ length: PICTURES }, async () => {
          const { id } = (await ask<Verification>(service, '/v1/verifications', { key, body })).body;
          expect((await submit(service, id, bytes, frame)).status).toBe(201);
          return id;
        }),
      );
      for (const id of ids) {
        const settled = async () => {
          const { body: seen } = await ask<Verification>(service, `/v1/verifications/${id}`, { key });
          return seen.status === 'completed';
        };
        await until(settled, `the verdict on ${id}`, 400_000);
      }
      const peak = await peakMb();
      console.log(`${PICTURES} pictures of 100 megapixels (${kind}): ${Math.round(peak)} MB resident at most`);
      expect(peak).toBeLessThan(MAX_RESIDENT_MB);
    } finally {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  600_000,
);
