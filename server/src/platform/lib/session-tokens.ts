import { createSecretKey } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { type Keyring, sha256Hex } from './keyring.ts';

const ISSUER = 'firsthand';
const AUDIENCE = 'firsthand session';
/** The number of verified tokens to cache. The result for the same bytes stays the same until they expire. */
const CHECKED_KEPT = 10_000;

/** The JWT of a session cookie. Only its session id counts, and each request looks the id up. */
export interface SessionTokens {
  sign(o: { sessionId: string; personId: string; issuedAt: Date; expiresAt: Date }): Promise<string>;
  /** Returns the session id of a token that is intact, ours and not expired; null for any other. */
  verify(token: string, now: Date): Promise<string | null>;
}

/**
 * Signs with the first of `secrets` and accepts tokens under any of them (HS256). Without secrets it derives one from
 * the keyring, which is created with the data folder and is the same on every node.
 */
export function createSessionTokens(secrets: readonly string[], keyring: Keyring): SessionTokens {
  const bytes = secrets.length > 0 ? secrets.map(secret => Buffer.from(secret)) : keyring.derive('session cookies');
  const keys = new Map(bytes.map(secret => [sha256Hex(secret).slice(0, 8), createSecretKey(secret)]));
  const [[kid, signing]] = [...keys] as [[string, ReturnType<typeof createSecretKey>]];
  const checked = new Map<string, { sessionId: string; expiresAt: number }>();
  return {
    sign: ({ sessionId, personId, issuedAt, expiresAt }) =>
      new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(personId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(signing),
    async verify(token, now) {
      const known = checked.get(token);
      if (known) return known.expiresAt > now.getTime() ? known.sessionId : null;
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid: named }) => {
            const key = keys.get(named ?? '');
            if (!key) throw new Error('signed by no secret of ours');
            return key;
          },
          {
            algorithms: ['HS256'],
            issuer: ISSUER,
            audience: AUDIENCE,
            requiredClaims: ['exp', 'sid'],
            currentDate: now,
          },
        );
        if (typeof payload.sid !== 'string') return null;
        if (checked.size >= CHECKED_KEPT) checked.clear();
        checked.set(token, { sessionId: payload.sid, expiresAt: payload.exp! * 1_000 });
        return payload.sid;
      } catch {
        return null;
      }
    },
  };
}
