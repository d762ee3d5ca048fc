import { createHmac, randomBytes } from 'node:crypto';
import { BATCH_BODY_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/http/problem.ts';
import { equalSecrets, type Keyring } from '../../platform/lib/keyring.ts';

/** What arrived of a request that `firsthand doctor` sent through the proxy. */
export interface Echo {
  /** Proves that this installation answered. */
  proof: string;
  /** The address that counts for the limits. */
  address: string;
  /** The address that the connection came from. */
  peer: string;
  forwarded_for: string | null;
  forwarded_proto: string | null;
}

const PATH = '/healthz/echo';
const LIFE_MS = 60_000;
const signed = (secret: Buffer, text: string): string => createHmac('sha256', secret).update(text).digest('base64url');

/** The address that doctor asks, and the proof that the right answer carries. Others get 404 there. */
export function echoRequest(keyring: Keyring, base: string, at: Date): { url: string; proof: string } {
  const [secret] = keyring.derive('doctor echo');
  const asked = `${at.getTime() + LIFE_MS}.${randomBytes(16).toString('base64url')}`;
  return {
    url: `${base}${PATH}?asked=${asked}&signature=${signed(secret, `asked ${asked}`)}`,
    proof: signed(secret, `answered ${asked}`),
  };
}

/** Tells doctor what arrives of its own requests. */
export function registerEcho(app: FastifyInstance, { keyring, clock }: Pick<Deps, 'keyring' | 'clock'>): void {
  const secrets = keyring.derive('doctor echo');
  function secretOf(request: FastifyRequest): { secret: Buffer; asked: string } {
    const { asked, signature } = request.query as Record<string, unknown>;
    if (typeof asked !== 'string' || typeof signature !== 'string') throw notFound();
    const secret = secrets.find(candidate => equalSecrets(signed(candidate, `asked ${asked}`), signature));
    if (!secret || !(Number(asked.split('.')[0]) > clock.now().getTime())) throw notFound();
    return { secret, asked };
  }
  const onRequest = async (request: FastifyRequest) => void secretOf(request);
  app.post(PATH, { bodyLimit: BATCH_BODY_MAX_BYTES, onRequest }, async (request, reply): Promise<Echo> => {
    const { secret, asked } = secretOf(request);
    const header = (name: string) => {
      const value = request.headers[name];
      return value === undefined ? null : String(value).slice(0, 200);
    };
    reply.header('cache-control', 'no-store');
    return {
      proof: signed(secret, `answered ${asked}`),
      address: request.ip,
      peer: request.socket.remoteAddress ?? '',
      forwarded_for: header('x-forwarded-for'),
      forwarded_proto: header('x-forwarded-proto'),
    };
  });
}
