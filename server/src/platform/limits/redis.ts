import { createClient } from '@redis/client';
import type { Log } from '../lib/log.ts';
import { type LimitStore, SLOTS } from './store.ts';

/**
 * One key's window, a hash of slot number to "last count", changed in one step by Redis's clock.
 * KEYS[1]; ARGV: wanted, limit, window in ms, slots. Answers granted, remaining, wait (-1: none), reset.
 */
const SCRIPT = `
local time = redis.call('TIME')
local at = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local wanted, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local slot_ms = math.max(1, math.floor(window / tonumber(ARGV[4])))
local held = redis.call('HGETALL', KEYS[1])
local slots, used = {}, 0
for i = 1, #held, 2 do
  local last, count = string.match(held[i + 1], '^(%d+) (%d+)$')
  last, count = tonumber(last), tonumber(count)
  if last <= at - window then redis.call('HDEL', KEYS[1], held[i])
  else
    slots[#slots + 1] = { last = last, count = count }
    used = used + count
  end
end
table.sort(slots, function(a, b) return a.last < b.last end)
local granted = math.max(0, math.min(wanted, limit - used))
if granted > 0 then
  local slot = math.floor(at / slot_ms)
  local newest = slots[#slots]
  if newest and math.floor(newest.last / slot_ms) == slot then
    newest.last = at
    newest.count = newest.count + granted
  else
    newest = { last = at, count = granted }
    slots[#slots + 1] = newest
  end
  used = used + granted
  redis.call('HSET', KEYS[1], string.format('%.0f', slot), string.format('%.0f %.0f', newest.last, newest.count))
  redis.call('PEXPIRE', KEYS[1], window + slot_ms)
end
local remaining = math.max(0, limit - used)
local wait, reset, left = -1, 0, used
if slots[1] then reset = slots[1].last + window - at end
if remaining == 0 then
  wait = 0
  for _, slot in ipairs(slots) do
    left = left - slot.count
    wait = slot.last + window - at
    if left < limit then break end
  end
end
return { granted, remaining, wait, reset }
`;

const CONNECT_MS = 5_000;
const ANSWER_MS = 1_000;

/**
 * Keeps windows in Redis, by its clock, so every node sees the same. Throws when Redis does not answer within a second.
 */
export async function openRedisStore(url: string, log: Log): Promise<LimitStore> {
  const client = createClient({
    url,
    // A command that cannot be sent fails at once, so the caller falls back instead of waiting.
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: retries => Math.min(100 * 2 ** retries, 5_000) },
  });
  client.on('error', error => log.warn({ err: error }, 'Redis does not answer'));
  const connected = client.connect().catch(error => log.warn({ err: error }, 'Redis cannot be reached'));
  await Promise.race([connected, new Promise(resolve => setTimeout(resolve, CONNECT_MS).unref())]);
  return {
    async take(wants) {
      const signal = AbortSignal.timeout(ANSWER_MS);
      return Promise.all(
        wants.map(async want => {
          const args = [want.wanted, want.limit, want.windowMs, SLOTS].map(String);
          const answer = await answered(
            client.eval(SCRIPT, { keys: [`firsthand:limit:${want.key}`], arguments: args }),
            signal,
          );
          const [granted, remaining, wait, reset] = answer as [number, number, number, number];
          return { granted, remaining, waitMs: wait < 0 ? null : wait, resetMs: reset };
        }),
      );
    },
    async close() {
      client.destroy();
      await connected;
    },
  };
}

function answered<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('Redis did not answer in time'));
    signal.addEventListener('abort', late, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
  });
}
