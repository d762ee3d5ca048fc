import { Agent, request } from 'undici';
import type { Deps } from '../deps.ts';
import { pin } from './address.ts';

const TIMEOUT_MS = 15_000;
const EXCERPT_BYTES = 1_024;

export interface Sent {
  statusCode: number | null;
  /** Named failure, when there was no answer. */
  error: string | null;
  excerpt: string | null;
  latencyMs: number;
  /** Seconds the receiver asked us to wait. */
  retryAfterSeconds: number | null;
}

/** One POST to a webhook address: pinned, no redirects, 15 s in all, at most 1 kB of the answer read. */
export async function send(
  deps: Pick<Deps, 'config'>,
  url: string,
  body: string,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Sent> {
  const started = performance.now();
  const done = (result: Partial<Sent>): Sent => ({
    statusCode: null,
    error: null,
    excerpt: null,
    retryAfterSeconds: null,
    ...result,
    latencyMs: Math.round(performance.now() - started),
  });
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let agent: Agent | undefined;
  try {
    const target = new URL(url);
    const pinned = await pin(deps, target.hostname);
    agent = new Agent({
      connect: {
        timeout: TIMEOUT_MS,
        lookup: (_host, options, callback) =>
          options.all ? callback(null, [pinned]) : callback(null, pinned.address, pinned.family),
      },
    });
    const answer = await request(target, {
      method: 'POST',
      headers,
      body,
      dispatcher: agent,
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    const excerpt = await readExcerpt(answer.body);
    const retryAfter = Number(answer.headers['retry-after']);
    return done({
      statusCode: answer.statusCode,
      excerpt,
      retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : null,
    });
  } catch (error) {
    if (timeout.aborted) return done({ error: 'timeout' });
    const { code, name } = (error ?? {}) as { code?: string; name?: string };
    return done({ error: code ?? name ?? 'failed' });
  } finally {
    await agent?.destroy();
  }
}

async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the stream: the rest is never read.
    if (size >= EXCERPT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
}
