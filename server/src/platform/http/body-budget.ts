import type { FastifyReply, FastifyRequest } from 'fastify';
import { letGo } from '../lib/young-garbage.ts';
import { isEncoded } from './inflate.ts';
import { Problem } from './problem.ts';
import { whenEnded } from './when-ended.ts';

/**
 * Bytes of large bodies that one process holds at once: twenty-one of the longest bodies, two pictures in base64 each.
 */
const BUDGET_BYTES = 384 * 1_048_576;
/** Shorter bodies do not count: the limits on addresses and connections bound them. */
const SMALL_BYTES = 262_144;

/** Reserves room for a request's body until its answer is sent. Throws 503 with Retry-After when there is no room. */
export type BodyBudget = (request: FastifyRequest, reply: FastifyReply, limitBytes: number) => void;

export function createBodyBudget(budgetBytes = BUDGET_BYTES): BodyBudget {
  let held = 0;
  return (request, reply, limitBytes) => {
    const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
    // A body without a stated length, or whose length grows, counts as the route's limit.
    const bytes =
      chunked === undefined && !isEncoded(request) ? Math.min(Number(length ?? 0) || 0, limitBytes) : limitBytes;
    if (bytes <= SMALL_BYTES) return;
    if (held + bytes > budgetBytes) {
      reply.header('connection', 'close');
      throw new Problem('storage_unavailable', 'Too many large bodies are on their way. Try again shortly.', {
        retryAfterSeconds: 2,
      });
    }
    held += bytes;
    whenEnded(reply, () => {
      held -= bytes;
      // The parts as they arrived, the body, and a picture decoded from it.
      letGo(2 * bytes);
    });
  };
}
