import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encode } from 'cborg';

export interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string };
}

interface Ceremony {
  origin: string;
  /** As a browser would set it. */
  userVerified?: boolean;
  rpId?: string;
  type?: string;
  /** Instead of the counter that goes up by one. */
  counter?: number;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** A passkey in software (ES256), as WebAuthn has it: what a browser and its authenticator answer. */
export function createAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;
  let userHandle = '';

  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  function authenticatorData(rpId: string, o: Ceremony, attested: Buffer = Buffer.alloc(0)): Buffer {
    const flags = 0x01 | (o.userVerified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    counter += 1;
    count.writeUInt32BE(o.counter ?? counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested]);
  }

  const answer = <T extends object>(response: T) => ({
    id: b64(id),
    rawId: b64(id),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });

  return {
    /** `RegistrationResponseJSON` to creation options. */
    register(options: Options, o: Ceremony) {
      userHandle = options.user?.id ?? '';
      const data = clientData(o.type ?? 'webauthn.create', options.challenge, o.origin);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)]);
      const authData = authenticatorData(o.rpId ?? options.rp!.id, o, attested);
      const attestationObject = b64(encode({ fmt: 'none', attStmt: {}, authData }));
      return answer({ clientDataJSON: b64(data), attestationObject, transports: ['internal'] });
    },

    /** `AuthenticationResponseJSON` to request options. */
    authenticate(options: Options, o: Ceremony) {
      const data = clientData(o.type ?? 'webauthn.get', options.challenge, o.origin);
      const authData = authenticatorData(o.rpId ?? options.rpId!, o);
      const signature = b64(sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey));
      return answer({ clientDataJSON: b64(data), authenticatorData: b64(authData), signature, userHandle });
    },
  };
}

/** A P-256 key as COSE has it (RFC 9053): kty 2, alg -7, crv 1. */
function coseOf(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' });
  const members = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
  ]);
  return Buffer.from(encode(members));
}
