import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The two endpoints of Google, with the rules that its documentation states. */
export interface GoogleServer {
  url: string;
  /** Text of the key file of a service account of this server. */
  accountFile: string;
  /** Verdict by integrity token; a token that is not here is answered 400, as Google does. */
  verdicts: Map<string, object>;
  /** Access tokens given out and integrity tokens decoded, by count. */
  asked: { tokens: number; decodes: number };
  /** Ends the access tokens in force. */
  forgetTokens(): void;
  /** Answers every decode this way instead, until null. */
  fault: ((response: ServerResponse) => void) | null;
  /** Answers every token request this way instead, until null. */
  tokenFault: ((response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

/** Google's token endpoint and the Play Integrity API for the package given, on loopback. */
export async function startGoogle(packageName: string): Promise<GoogleServer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const tokens = new Set<string>();
  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const grant = async (response: ServerResponse, body: string) => {
    const form = new URLSearchParams(body);
    const claims = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      algorithms: ['RS256'],
      issuer: 'verifier@project.example',
      audience: `${google.url}/token`,
    }).catch(() => null);
    const { scope, iat = 0, exp = 0 } = claims?.payload ?? {};
    const right =
      form.get('grant_type') === JWT_BEARER &&
      scope === 'https://www.googleapis.com/auth/playintegrity' &&
      claims?.protectedHeader.kid === 'key-1' &&
      exp - iat <= 3_600;
    if (!right) return json(response, 400, { error: 'invalid_grant', error_description: 'Invalid JWT.' });
    google.asked.tokens += 1;
    const access_token = `ya29.${google.asked.tokens}`;
    tokens.add(access_token);
    return json(response, 200, { access_token, expires_in: 3_599, token_type: 'Bearer' });
  };
  const decode = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const bearer = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!tokens.has(bearer)) {
      return json(response, 401, { error: { code: 401, status: 'UNAUTHENTICATED', message: 'Invalid credentials.' } });
    }
    google.asked.decodes += 1;
    const verdict = google.verdicts.get((JSON.parse(body) as { integrity_token: string }).integrity_token);
    return verdict
      ? json(response, 200, { tokenPayloadExternal: verdict })
      : json(response, 400, {
          error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Integrity token cannot be decoded.' },
        });
  };

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.method === 'POST' && request.url === '/token') {
        if (google.tokenFault) google.tokenFault(response);
        else void grant(response, body);
      } else if (request.method === 'POST' && request.url === `/v1/${packageName}:decodeIntegrityToken`) {
        if (google.fault) google.fault(response);
        else decode(request, response, body);
      } else json(response, 404, { error: { code: 404, message: 'Requested entity was not found.' } });
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const google: GoogleServer = {
    url,
    accountFile: JSON.stringify({
      type: 'service_account',
      client_email: 'verifier@project.example',
      private_key_id: 'key-1',
      private_key: await exportPKCS8(privateKey),
      token_uri: `${url}/token`,
    }),
    verdicts: new Map(),
    asked: { tokens: 0, decodes: 0 },
    forgetTokens: () => tokens.clear(),
    fault: null,
    tokenFault: null,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return google;
}
