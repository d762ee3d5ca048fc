import { base64UrlOf } from './codes.ts';
import type { AppAttest, Integrity, PlayIntegrity } from './phone.ts';
import { serial } from './serial.ts';

/** An `attestation_token`. App Attest: which key made it, and its place among those of the key; 0 is the key's own attestation. */
export interface HeldToken {
  token: string;
  keyId?: string;
  order?: number;
}

/** The App Attest key of one link. */
export interface KeyState {
  keyId: string;
  /** Apple attested it. */
  attested: boolean;
  /** The service took a photo with the attestation, so it knows the key. */
  registered: boolean;
  /** The last order given out, and the last that the service took; -1 before the first. */
  made: number;
  sent: number;
}

/** Where the key is kept. */
export interface Keys {
  key(): Promise<KeyState | undefined>;
  putKey(key: KeyState): Promise<void>;
  /** Changes the key, where it is still this one. */
  changeKey(keyId: string, change: (key: KeyState) => KeyState): Promise<void>;
}

/** What is attested, as `docs/attestation.md` says: the id of the verification and the photo's SHA-256. */
export const signedText = (token: string, sha256: string): string => `${token}.${sha256}`;

const code = (name: string) => `ERR_APP_INTEGRITY_${name}`;
const INVALID_KEY = code('INVALID_KEY');
/** The prepared provider went stale, which may happen within seconds. */
const STALE = new Set([code('PROVIDER_INVALID'), code('PROVIDER_NOT_PREPARED')]);
/** Another try may help. The key stays: a new one would count against the device. */
const TRANSIENT = new Set(
  [
    'SERVER_UNAVAILABLE',
    'NETWORK_ERROR',
    'TOO_MANY_REQUESTS',
    'GOOGLE_SERVER_UNAVAILABLE',
    'CLIENT_TRANSIENT_ERROR',
    'INTERNAL_ERROR',
    'CANNOT_BIND_SERVICE',
  ].map(code),
);
export const RETRY_AFTER_MS: readonly number[] = [5_000, 10_000, 20_000];
const ANSWERS_WITHIN_MS = 30_000;

export const codeOf = (error: unknown): string => {
  const found = (error as { code?: unknown } | null)?.code;
  return typeof found === 'string' ? found : error instanceof Error ? error.message : String(error);
};

export interface Asked {
  text: string;
  keys: Keys;
  /** Whether an assertion of this attested key will count when its photo is sent. */
  mayAssert: (key: KeyState) => boolean | Promise<boolean>;
  /** Keeps the token, before the next one is made. */
  keep: (token: HeldToken) => Promise<void>;
  /** Waits between tries. */
  waitsMs: readonly number[];
}

export type Attester = ReturnType<typeof createAttester>;

/** Makes tokens one at a time: an assertion's counter must rise, and parallel requests arrive out of order. */
export function createAttester(o: {
  integrity: () => Promise<Integrity | null>;
  sha256: (text: string) => Promise<Uint8Array>;
  wait?: (ms: number) => Promise<void>;
}) {
  const { wait = ms => new Promise<void>(resolve => setTimeout(resolve, ms)) } = o;
  const oneByOne = serial();
  let found: Promise<Integrity | null> | undefined;
  let prepared: Promise<void> | undefined;

  const prepare = (play: PlayIntegrity): Promise<void> => {
    prepared ??= inTime(play.prepare()).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };

  async function playToken(play: PlayIntegrity, text: string): Promise<HeldToken> {
    const hash = base64UrlOf(await o.sha256(text));
    await prepare(play);
    const token = await inTime(play.request(hash)).catch(async (error: unknown) => {
      if (!STALE.has(codeOf(error))) throw error;
      prepared = undefined;
      await prepare(play);
      return inTime(play.request(hash));
    });
    return { token: JSON.stringify({ provider: play.provider, token }) };
  }

  async function once(asked: Asked): Promise<HeldToken> {
    found ??= o.integrity();
    const integrity = await found;
    if (!integrity) throw new Error('not available');
    return integrity.provider === 'play_integrity' ? playToken(integrity, asked.text) : appleToken(integrity, asked);
  }

  /** After one photo waited through all tries in vain, the next ones of that minute do not. */
  let inVainUntil = 0;

  /** Rejects with the last error. */
  const attest = (asked: Asked): Promise<HeldToken> =>
    oneByOne(async () => {
      for (let tries = 0; ; tries++) {
        try {
          const token = await once(asked);
          await asked.keep(token);
          return token;
        } catch (error) {
          if (!TRANSIENT.has(codeOf(error))) throw error;
          const next = asked.waitsMs[tries];
          if (next === undefined && tries > 0) inVainUntil = Date.now() + 60_000;
          if (next === undefined || Date.now() < inVainUntil) throw error;
          await wait(next);
        }
      }
    });
  return { attest };
}

/** The first photo of a key carries Apple's attestation, every later one an assertion. A dead key is replaced once. */
async function appleToken(apple: AppAttest, { text, keys, mayAssert }: Asked): Promise<HeldToken> {
  const { provider } = apple;
  let key = await keys.key();
  for (let replaced = false; ; replaced = true) {
    if (!key || (key.attested && !(await mayAssert(key)))) {
      const keyId = await inTime(apple.generateKey());
      key = { keyId, attested: false, registered: false, made: 0, sent: -1 };
      await keys.putKey(key);
    }
    const { keyId } = key;
    try {
      if (!key.attested) {
        const attestation = await inTime(apple.attestKey(keyId, text));
        await keys.changeKey(keyId, now => ({ ...now, attested: true }));
        return { keyId, order: 0, token: JSON.stringify({ provider, key_id: keyId, attestation }) };
      }
      const order = key.made + 1;
      const assertion = await inTime(apple.assert(keyId, text));
      await keys.changeKey(keyId, now => ({ ...now, made: order }));
      return { keyId, order, token: JSON.stringify({ provider, key_id: keyId, assertion }) };
    } catch (error) {
      if (codeOf(error) !== INVALID_KEY || replaced) throw error;
      key = undefined;
    }
  }
}

/** Whether the service will count this token, by what it took before. */
export function counts({ keyId, order = 0 }: HeldToken, key: KeyState | undefined): boolean {
  if (keyId === undefined) return true;
  if (key?.keyId !== keyId) return false;
  return order === 0 || (key.registered && order > key.sent);
}

/** Notes that the service took a photo with this token. */
export async function noteSent(keys: Keys, { keyId, order = 0 }: HeldToken): Promise<void> {
  if (keyId === undefined) return;
  await keys.changeKey(keyId, key => ({
    ...key,
    registered: key.registered || order === 0,
    sent: Math.max(key.sent, order),
  }));
}

/** A native call may never settle. */
function inTime<T>(call: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), ANSWERS_WITHIN_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}
