import type { Config } from '../../../platform/config/config.ts';
import { askJson, NoAnswer } from '../../../platform/lib/ask-json.ts';

/** A web page or picture that, according to the engine, contains the searched picture. */
export interface WebMatch {
  source: 'google_vision' | 'tineye';
  url: string;
  page?: string;
  /** `full`: the whole picture. `partial`: a part or an altered copy. */
  extent: 'full' | 'partial';
  /** The engine's own score, if it reports one. */
  score?: number;
}

export interface Engine {
  name: WebMatch['source'];
  /** @throws EngineFault when the engine gives no usable answer. */
  search(picture: Uint8Array): Promise<WebMatch[]>;
}

/** An external search failed. The message says how and contains no secret. */
export class EngineFault extends Error {
  override name = 'EngineFault';
  /** True when the same request may succeed later. */
  readonly passing: boolean;
  constructor(message: string, passing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.passing = passing;
  }
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_MATCHES = 50;

/** The engines that have keys configured. Pictures are sent to no other external service for search. */
export function enginesOf(settings: Config['reverseSearch']): Engine[] {
  const { googleApiKey, googleUrl, tineyeApiKey, tineyeUrl } = settings;
  return [
    ...(googleApiKey ? [googleVision(googleUrl, googleApiKey)] : []),
    ...(tineyeApiKey ? [tinEye(tineyeUrl, tineyeApiKey)] : []),
  ];
}

interface WebDetection {
  fullMatchingImages?: { url?: unknown }[];
  partialMatchingImages?: { url?: unknown }[];
}

/** Google Cloud Vision, `images:annotate` with `WEB_DETECTION`. Ignores "visually similar" pictures, which are not matches. */
function googleVision(url: string, key: string): Engine {
  return {
    name: 'google_vision',
    async search(picture) {
      const body = {
        requests: [
          {
            image: { content: Buffer.from(picture).toString('base64') },
            features: [{ type: 'WEB_DETECTION', maxResults: MAX_MATCHES }],
          },
        ],
      };
      const answer = (await ask('Google Vision', `${url}/v1/images:annotate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
        body: JSON.stringify(body),
      })) as { responses?: { error?: { message?: unknown }; webDetection?: WebDetection }[] };
      const response = answer.responses?.[0];
      if (!response) throw new EngineFault('Google Vision answered without a response', false);
      if (response.error)
        throw new EngineFault(`Google Vision: ${String(response.error.message).slice(0, 200)}`, false);
      const found = (list: { url?: unknown }[] | undefined, extent: WebMatch['extent']): WebMatch[] =>
        (Array.isArray(list) ? list : []).flatMap(({ url }) =>
          typeof url === 'string' ? [{ source: 'google_vision', url: url.slice(0, 2_000), extent }] : [],
        );
      const detection = response.webDetection ?? {};
      return [
        ...found(detection.fullMatchingImages, 'full'),
        ...found(detection.partialMatchingImages, 'partial'),
      ].slice(0, MAX_MATCHES);
    },
  };
}

/** Below this TinEye score, a match counts as `partial`. */
const TINEYE_FULL = 50;

/** TinEye API 2: uploads the picture to `rest/search/`. */
function tinEye(url: string, key: string): Engine {
  return {
    name: 'tineye',
    async search(picture) {
      const form = new FormData();
      form.set('image_upload', new Blob([picture as Uint8Array<ArrayBuffer>], { type: 'image/jpeg' }), 'picture.jpg');
      form.set('limit', String(MAX_MATCHES));
      const answer = (await ask('TinEye', `${url}/rest/search/`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: form,
      })) as { code?: unknown; messages?: unknown; results?: { matches?: unknown } };
      if (answer.code !== 200)
        throw new EngineFault(`TinEye: ${JSON.stringify(answer.messages ?? answer.code).slice(0, 200)}`, false);
      const matches = answer.results?.matches;
      if (!Array.isArray(matches)) throw new EngineFault('TinEye answered without matches', false);
      return matches.slice(0, MAX_MATCHES).flatMap(match => webMatch(match as Record<string, unknown>));
    },
  };
}

function webMatch(match: Record<string, unknown>): WebMatch[] {
  const backlink = (Array.isArray(match.backlinks) ? match.backlinks[0] : undefined) as
    | Record<string, unknown>
    | undefined;
  const url = [match.image_url, backlink?.url].find(value => typeof value === 'string') as string | undefined;
  if (!url) return [];
  const score = typeof match.score === 'number' ? match.score : undefined;
  return [
    {
      source: 'tineye',
      url: url.slice(0, 2_000),
      ...(typeof backlink?.backlink === 'string' ? { page: backlink.backlink.slice(0, 2_000) } : {}),
      extent: score !== undefined && score < TINEYE_FULL ? 'partial' : 'full',
      ...(score === undefined ? {} : { score }),
    },
  ];
}

/** Sends one request and reads a JSON answer of bounded size within a time limit. Retries once when the engine is busy. */
async function ask(name: string, url: string, init: RequestInit): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askOnce(name, url, init);
    } catch (fault) {
      if (!(fault instanceof EngineFault) || !fault.passing || attempt >= 2) throw fault;
    }
  }
}

async function askOnce(name: string, url: string, init: RequestInit): Promise<unknown> {
  const bounds = { signal: AbortSignal.timeout(TIMEOUT_MS), maxBytes: MAX_ANSWER_BYTES };
  const { status, body } = await askJson(url, { ...init, ...bounds }).catch((cause: unknown) => {
    if (!(cause instanceof NoAnswer)) throw cause;
    const passing = cause.code === 'timeout' || cause.code === 'unreachable';
    throw new EngineFault(`${name} ${cause.message}`, passing, { cause });
  });
  if (status < 200 || status >= 300)
    throw new EngineFault(`${name} answered ${status}`, status === 429 || status >= 500);
  return body;
}
