import { BATCH_BODY_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { type Echo, echoRequest } from '../desk/system/echo.ts';
import { BucketUnfit } from '../platform/blobs/write-once.ts';
import type { Deps } from '../platform/deps.ts';
import { canonicalAddress, forwardedAddress, isWithin } from '../platform/lib/addresses.ts';
import type { DoctorFinding } from './doctor-finding.ts';

const TIMEOUT_MS = 15_000;
/** For the longest body: 5 Mbit/s. */
const BODY_TIMEOUT_MS = 55_000;

/** What only somebody outside sees: the service by PUBLIC_URL, the proxy on the way, and the bucket as a page does. */
export async function outsideFindings(deps: Deps): Promise<DoctorFinding[]> {
  return [...(await publicFindings(deps)), ...(await bucketFindings(deps))];
}

async function publicFindings(deps: Deps): Promise<DoctorFinding[]> {
  const { publicUrl, captureBaseUrl } = deps.config;
  if (publicUrl === null) return [];
  const found = await reach(deps, 'PUBLIC_URL', publicUrl);
  const findings = [found.finding, ...(found.echo ? [proxyFinding(deps, found.echo)] : [])];
  if (found.echo) findings.push(...(await sizeFinding(deps, publicUrl)));
  if (captureBaseUrl !== null && captureBaseUrl !== publicUrl) {
    findings.push((await reach(deps, 'CAPTURE_BASE_URL', captureBaseUrl)).finding);
  }
  return findings;
}

async function reach(
  { keyring }: Deps,
  setting: string,
  base: string,
): Promise<{ finding: DoctorFinding; echo: Echo | null }> {
  const { url, proof } = echoRequest(keyring, base, new Date());
  const wrong = (advice: string): { finding: DoctorFinding; echo: null } => ({
    finding: { part: 'public_url', state: 'wrong', what: setting, detail: base, advice },
    echo: null,
  });
  try {
    const answer = await fetch(url, { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.status >= 300 && answer.status < 400) {
      return wrong(
        `It redirects to ${answer.headers.get('location')}. Set ${setting} to the address that answers itself.`,
      );
    }
    const echo = (await answer.json().catch(() => null)) as Echo | null;
    if (echo?.proof === proof) {
      return { finding: { part: 'public_url', state: 'ok', what: setting, detail: base }, echo };
    }
    return wrong(
      `Status ${answer.status}, but not from this installation. Point the proxy at this service, or set ${setting} to its address.`,
    );
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    return wrong(
      `No answer from here (${code ?? message}). Start the service, and check the name, the certificate and the proxy; set ${setting} to the address that people use.`,
    );
  }
}

function proxyFinding({ config }: Deps, echo: Echo): DoctorFinding {
  const finding = { part: 'proxy', what: 'Proxy' } as const;
  if (echo.forwarded_for === null) {
    // The service answers itself where its own port and protocol are in PUBLIC_URL.
    const { protocol, port } = new URL(config.publicUrl!);
    const direct = config.tls || (protocol === 'http:' && Number(port || 80) === config.port);
    return direct
      ? { ...finding, state: 'ok', what: 'No proxy' }
      : {
          ...finding,
          state: 'wrong',
          detail: echo.peer,
          advice:
            'It sends no X-Forwarded-For, so everybody shares the limits of one address. Let it add the header (docs/proxy.md).',
        };
  }
  if (echo.address === echo.peer && !isTrustedHere(config.trustedProxies, echo)) {
    return {
      ...finding,
      state: 'wrong',
      detail: echo.peer,
      advice: `Its X-Forwarded-For does not count, so everybody shares the limits of one address. Set TRUSTED_PROXIES=${echo.peer.replace(/^::ffff:/, '')}`,
    };
  }
  return { ...finding, state: 'ok', what: 'Proxy', detail: `${echo.peer}, trusted for ${echo.address}` };
}

/** Whether doctor and the proxy share one machine, and the proxy is trusted: the sender's address is then the proxy's own. */
function isTrustedHere(trusted: readonly string[], { peer, forwarded_for }: Echo): boolean {
  const proxy = canonicalAddress(peer);
  const sender = forwardedAddress(forwarded_for?.split(',').at(-1) ?? '');
  return proxy !== null && sender === proxy && isWithin(trusted, proxy);
}

/** Sends a body as long as the longest that the service takes. */
async function sizeFinding({ keyring }: Deps, base: string): Promise<DoctorFinding[]> {
  const { url, proof } = echoRequest(keyring, base, new Date());
  const body = Buffer.alloc(BATCH_BODY_MAX_BYTES, ' ');
  const signal = AbortSignal.timeout(BODY_TIMEOUT_MS);
  const answer = await fetch(url, { method: 'POST', body, signal }).catch(() => null);
  const echo = (await answer?.json().catch(() => null)) as Echo | null;
  if (echo?.proof === proof) return [];
  return [
    {
      part: 'proxy',
      state: 'wrong',
      what: 'Proxy',
      detail: answer ? `status ${answer.status} for 32 MiB` : 'no answer to 32 MiB',
      advice:
        'It refuses large bodies, so photos or batches do not arrive. Allow 33 MiB; in nginx: client_max_body_size 33m;',
    },
  ];
}

/** Asks the bucket for what the capture page needs: a PUT from its own origin. */
async function bucketFindings({ blobs, config, origins }: Deps): Promise<DoctorFinding[]> {
  if (!config.s3) return [];
  const finding = { part: 'bucket_cors', what: 'CORS of the bucket', detail: config.s3.bucket } as const;
  const origin = new URL(origins.capture).origin;
  try {
    const upload = { contentType: 'image/jpeg', maxBytes: 1, sizeBytes: 1, expiresSeconds: 60 };
    const { url, headers } = await blobs.presignPut('probes/cors', upload);
    const asked = Object.keys(headers);
    const answer = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': asked.join(','),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const listed = (name: string) => (answer.headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/);
    const from = answer.headers.get('access-control-allow-origin');
    const [methods, allowed] = [listed('access-control-allow-methods'), listed('access-control-allow-headers')];
    const ok =
      answer.ok &&
      (from === '*' || from === origin) &&
      (methods.includes('put') || methods.includes('*')) &&
      (allowed.includes('*') || asked.every(name => allowed.includes(name)));
    if (ok) return [{ ...finding, state: 'ok' }];
    const rule = {
      AllowedOrigins: [origin],
      AllowedMethods: ['GET', 'PUT'],
      AllowedHeaders: asked,
      MaxAgeSeconds: 86_400,
    };
    return [
      {
        ...finding,
        state: 'wrong',
        advice: `Browsers may not upload from ${origin}. Add this rule to the bucket: ${JSON.stringify({ CORSRules: [rule] })}`,
      },
    ];
  } catch (error) {
    // The finding on the store itself says it.
    if (error instanceof BucketUnfit) return [];
    return [{ ...finding, state: 'wrong', advice: `The bucket does not answer: ${(error as Error).message}` }];
  }
}
