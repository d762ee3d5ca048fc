// Lets Firsthand ask Sightengine's detector of generated pictures: POST a picture here, and the answer is {score, model}.
// node adapter.ts, with SIGHTENGINE_USER, SIGHTENGINE_SECRET and ADAPTER_TOKEN in the environment. No packages are needed.
import { createServer, type IncomingMessage, type Server } from 'node:http';

export interface AdapterOptions {
  user: string;
  secret: string;
  /** What Firsthand sends as its bearer token: AI_MODEL_TOKEN there. */
  token: string;
  /** Sightengine's API, or a gateway in front of it. */
  api?: string;
  /** Change it when the service changes its detector: Firsthand then asks for a new calibration. */
  version?: string;
}

const MAX_BYTES = 40 * 1024 * 1024;

export function createAdapter(o: AdapterOptions): Server {
  const model = `sightengine/genai/${o.version ?? '1'}`;
  return createServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    try {
      if (request.headers.authorization !== `Bearer ${o.token}`) return answer(401, { error: 'wrong token' });
      if (request.method !== 'POST') return answer(405, { error: 'POST a picture' });
      const picture = await read(request);
      if (!picture) return answer(413, { error: 'too large' });
      const score = await scoreOf(o, picture, request.headers['content-type'] ?? 'image/jpeg');
      return score === null ? answer(503, { error: 'no answer' }) : answer(200, { score, model });
    } catch (error) {
      console.error(error);
      answer(503, { error: 'no answer' });
    }
  });
}

/** Null where the picture is too large. */
async function read(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** https://sightengine.com/docs/ai-generated-image-detection. Null where it gives no score. */
async function scoreOf(o: AdapterOptions, picture: Uint8Array<ArrayBuffer>, type: string): Promise<number | null> {
  const form = new FormData();
  form.set('media', new Blob([picture], { type }), 'picture');
  form.set('models', 'genai');
  form.set('api_user', o.user);
  form.set('api_secret', o.secret);
  const answer = await fetch(`${o.api ?? 'https://api.sightengine.com'}/1.0/check.json`, {
    method: 'POST',
    body: form,
    signal: AbortSignal.timeout(10_000),
  });
  const body = (await answer.json()) as { status?: string; type?: { ai_generated?: number } };
  const score = body.type?.ai_generated;
  if (answer.ok && body.status === 'success' && typeof score === 'number') return score;
  console.error(`Sightengine answered ${answer.status}`, JSON.stringify(body).slice(0, 300));
  return null;
}

if (import.meta.main) {
  const { SIGHTENGINE_USER, SIGHTENGINE_SECRET, ADAPTER_TOKEN, SIGHTENGINE_URL, DETECTOR_VERSION, PORT } = process.env;
  if (!SIGHTENGINE_USER || !SIGHTENGINE_SECRET || !ADAPTER_TOKEN)
    throw new Error('Set SIGHTENGINE_USER, SIGHTENGINE_SECRET and ADAPTER_TOKEN.');
  const port = Number(PORT ?? 8099);
  createAdapter({
    user: SIGHTENGINE_USER,
    secret: SIGHTENGINE_SECRET,
    token: ADAPTER_TOKEN,
    ...(SIGHTENGINE_URL ? { api: SIGHTENGINE_URL } : {}),
    ...(DETECTOR_VERSION ? { version: DETECTOR_VERSION } : {}),
  }).listen(port, '127.0.0.1', () => console.log(`Ready at http://127.0.0.1:${port}`));
}
