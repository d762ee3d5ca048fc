import type { FastifyReply } from 'fastify';
import { createSlots, type Holder } from '../lib/slots.ts';
import { Problem } from './problem.ts';
import { whenEnded } from './when-ended.ts';

/** The endless answers of this process that are open now, by whoever opened them. */
export const openStreams = createSlots();

/**
 * Takes a place for an endless answer until its reply has ended. Throws 429 when a holder has no place left. The signal
 * aborts when the reply ends, whether or not its body was ever read.
 */
export function openStream(reply: FastifyReply, ...holders: readonly Holder[]): AbortSignal {
  const leave = openStreams.take(...holders);
  if (!leave) throw new Problem('too_many_requests', 'Too many streams are open; close one.', { retryAfterSeconds: 5 });
  const ended = new AbortController();
  whenEnded(reply, () => {
    leave();
    ended.abort();
  });
  return ended.signal;
}
