import { isId } from '@firsthand/contract/base/ids.ts';
import type { FastifyRequest } from 'fastify';
import { logNameOf } from '../lib/log-name.ts';

/** The name in logs of the verification in a request's path. Undefined when the path holds none. */
export function namedIn({ params }: Pick<FastifyRequest, 'params'>): string | undefined {
  const { id, token } = (params ?? {}) as { id?: string; token?: string };
  const verification = [id, token].find(value => value !== undefined && isId('vfy', value));
  return verification && logNameOf(verification);
}
