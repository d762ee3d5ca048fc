import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openStreams } from '../../../src/platform/http/open-streams.ts';
import { until } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const STREAMS = ['/v1/changes/stream', '/v1/events/stream'] as const;

describe('streams', () => {
  const service = serviceOfSuite({ worker: false });

  /** Sends the requests on one connection and cuts it after some milliseconds; null: in the turn that sent them. */
  function cutOff(requests: readonly string[], afterMs: number | null): Promise<void> {
    const { hostname, port } = new URL(service.url);
    return new Promise(resolve => {
      const socket = net.connect(Number(port), hostname, async () => {
        socket.write(requests.join(''));
        if (afterMs !== null) await sleep(afterMs);
        socket.resetAndDestroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
  }
  const request = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.tenant.rk_secret}\r\n\r\n`;
  const noneHeld = () => until(async () => openStreams.held === 0, 'every place to be free');
  async function reading(path: string, work: (open: () => Promise<Response>) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${service.tenant.rk_secret}` };
    await work(() => fetch(service.url + path, { headers, signal: stop.signal }));
    stop.abort();
    await noneHeld();
  }

  it('give their place back whenever the reader leaves, also before the answer and behind another one', async () => {
    const call = fc.record({ method: fc.constantFrom('GET', 'HEAD'), path: fc.constantFrom(...STREAMS) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 4 }),
        fc.option(fc.integer({ min: 0, max: 25 })),
        async (calls, afterMs) => {
          await cutOff(
            calls.map(({ method, path }) => request(method, path)),
            afterMs,
          );
        },
      ),
      { numRuns: 120 },
    );
    await noneHeld();
    for (const path of STREAMS) {
      await reading(path, async open => {
        // Kept, not only their statuses: a response that is collected closes its stream.
        const answers: Response[] = [];
        for (let n = 0; n < 9; n += 1) answers.push(await open());
        expect(
          answers.map(({ status }) => status),
          path,
        ).toEqual([...Array(8).fill(200), 429]);
      });
    }
  });

  it('give no more places than there are to readers who come at once', async () => {
    for (const path of STREAMS) {
      await reading(path, async open => {
        const answers = await Promise.all(Array.from({ length: 30 }, open));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
      });
    }
  });
});
