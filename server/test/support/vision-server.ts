// A vision model made of rules, behind the real protocol: POST /v1/chat/completions and GET /v1/models as hosted services and
// local servers speak them. It answers from the picture: its colour, its black share, and its text.
// Run by itself it serves a laptop: node server/test/support/vision-server.ts [port]
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { findTextReader, readWords } from '../../src/inspection/checks/tesseract.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { VisionConfig } from '../../src/platform/config/vision.ts';
import { PURPOSES, type Purpose } from '../../src/platform/vision/prompt.ts';

/** Settings of a client that asks a second time at most and goes on asking, however often the model fails. */
export const patientWith = (
  env: Record<string, string>,
): { env: Record<string, string>; config: { vision: VisionConfig } } => ({
  env,
  config: { vision: { ...readConfig(env).vision!, retries: 1, breakerFailures: 1_000 } },
});

export interface ChatRequest {
  model: string;
  messages: { role: string; content: string | ContentPart[] }[];
  temperature?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  response_format?: {
    type: string;
    json_schema?: { name: string; strict?: boolean; schema: Record<string, unknown> };
  };
}
type ContentPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string; detail?: string } };

/** One question as the server understood it. */
export interface Asked {
  purpose: Purpose;
  /** What the service sent between the evidence markers. */
  evidence: Record<string, unknown>;
  pictures: Buffer[];
  request: ChatRequest;
  headers: IncomingMessage['headers'];
}

/** The server's behaviour for a question. */
export type Behaviour =
  | 'right'
  /** Answers what the text in the picture or the narrative orders, and adds members nobody asked for. */
  | 'obedient'
  | 'wrong_schema'
  /** JSON in a fence, behind a line of thoughts. */
  | 'fenced'
  | 'refusing'
  | 'filtered'
  | 'dropping'
  | 'hanging'
  /** Sends the headers and half a body, and no more. */
  | 'stalling'
  | 'no_json'
  | 'failing'
  | 'unauthorized'
  | 'redirecting'
  | { late: number }
  /** Right, when the promise resolves. */
  | { after: Promise<unknown> }
  | { retryAfter: string }
  /** The very answer, right or lying. */
  | { says: unknown };

export interface VisionServer {
  url: string;
  asked: Asked[];
  /** Requests being served now, and the most there were. */
  busy: { now: number; most: number };
  behave: (asked: Asked, count: number) => Behaviour;
  close(): Promise<void>;
}

const COLOURS: Readonly<Record<string, [number, number, number]>> = {
  red: [200, 40, 40],
  green: [40, 150, 60],
  blue: [40, 70, 200],
  yellow: [230, 210, 40],
  white: [240, 240, 240],
  black: [15, 15, 15],
  grey: [128, 128, 128],
};
const COLOUR_WORD = new RegExp(`\\b(${Object.keys(COLOURS).join('|')})\\b`, 'i');

export async function startVisionServer(
  behave: VisionServer['behave'] = () => 'right',
  port = 0,
): Promise<VisionServer> {
  const asked: Asked[] = [];
  const busy = { now: 0, most: 0 };
  const running: VisionServer = { url: '', asked, busy, behave, close: async () => {} };
  const server = createServer((request, response) => {
    serve(running, request, response).catch(error => {
      if (!response.headersSent) fault(response, 500, (error as Error).message);
      else response.destroy();
    });
  });
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  running.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  running.close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return running;
}

async function serve(server: VisionServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET' && request.url === '/v1/models') {
    return send(response, { object: 'list', data: [{ id: 'rules', object: 'model', created: 0, owned_by: 'test' }] });
  }
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return fault(response, 404, 'no such route');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  server.busy.now += 1;
  server.busy.most = Math.max(server.busy.most, server.busy.now);
  response.once('close', () => {
    server.busy.now -= 1;
  });
  const read = understand(JSON.parse(Buffer.concat(chunks).toString('utf8')), request.headers);
  if (typeof read === 'string') return fault(response, 400, read);
  server.asked.push(read);
  const behaviour = server.behave(read, server.asked.length);
  switch (behaviour) {
    case 'dropping':
      return void request.socket.destroy();
    case 'hanging':
      return;
    case 'stalling':
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.write('{"id":"chatcmpl-1","object":"chat.comp');
    case 'no_json':
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end('<html>502 from a proxy</html>');
    case 'failing':
      return fault(response, 500, 'out of memory');
    case 'unauthorized':
      return fault(response, 401, 'Incorrect API key provided');
    case 'redirecting':
      return void response.writeHead(307, { location: '/elsewhere' }).end();
    case 'refusing':
      return complete(response, read, { content: null, refusal: 'I cannot help with that.' });
    case 'filtered':
      return complete(response, read, { content: '' }, 'content_filter');
    case 'wrong_schema':
      return complete(response, read, { content: '{"verdict":"match","confidence":"very"}' });
  }
  if (typeof behaviour === 'object' && 'retryAfter' in behaviour) {
    response.setHeader('retry-after', behaviour.retryAfter);
    return fault(response, 429, 'slow down');
  }
  if (typeof behaviour === 'object' && ('late' in behaviour || 'after' in behaviour)) {
    await ('after' in behaviour ? behaviour.after : new Promise(resolve => setTimeout(resolve, behaviour.late)));
    if (response.destroyed) return;
  }
  if (typeof behaviour === 'object' && 'says' in behaviour) {
    return complete(response, read, { content: JSON.stringify(behaviour.says) });
  }
  const content = JSON.stringify(await answerOf(read, behaviour === 'obedient'));
  const shown = behaviour === 'fenced' ? `<think>Let me see.</think>\n\`\`\`json\n${content}\n\`\`\`` : content;
  return complete(response, read, { content: shown });
}

/** Reads a request as strictly as the strictest of the real servers; a string says what it would complain about. */
function understand(request: ChatRequest, headers: IncomingMessage['headers']): Asked | string {
  if (typeof request.model !== 'string' || !Array.isArray(request.messages)) return 'model and messages are required';
  if (!headers.authorization?.startsWith('Bearer ')) return 'no bearer token';
  const format = request.response_format;
  if (format?.type === 'json_schema') {
    const complaint = format.json_schema?.strict ? strictFault(format.json_schema.schema, '$') : 'strict is off';
    if (complaint) return `Invalid schema for response_format: ${complaint}`;
  }
  const parts = request.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  );
  const pictures: Buffer[] = [];
  for (const part of parts) {
    if (part.type !== 'image_url') continue;
    const data = /^data:image\/jpeg;base64,([A-Za-z0-9+/]+=*)$/.exec(part.image_url.url)?.[1];
    if (!data) return 'image_url is no data URL of a JPEG';
    pictures.push(Buffer.from(data, 'base64'));
  }
  const text = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
  const blocks = [...text.matchAll(/^<evidence>\n(.*)\n<\/evidence>$/gm)];
  if (blocks.length !== 1) return `expected one evidence block, found ${blocks.length}`;
  const purpose = purposeOf(text);
  if (!purpose) return 'no task was given';
  return { purpose, evidence: JSON.parse(blocks[0]![1]!), pictures, request, headers };
}

/** Schema features that strict structured outputs refuse: open objects, optional members, bounds. */
function strictFault(schema: Record<string, unknown>, at: string): string | null {
  const known = ['type', 'properties', 'required', 'items', 'enum', 'additionalProperties', 'description', 'anyOf'];
  const odd = Object.keys(schema).find(key => !known.includes(key));
  if (odd) return `${at}: '${odd}' is not permitted`;
  if (schema.type === undefined) return `${at}: no type`;
  if (schema.type === 'array') return strictFault(schema.items as Record<string, unknown>, `${at}[]`);
  if (schema.type !== 'object') return null;
  const members = schema.properties as Record<string, Record<string, unknown>>;
  if (schema.additionalProperties !== false) return `${at}: additionalProperties must be false`;
  if ([...(schema.required as string[])].sort().join() !== Object.keys(members).sort().join()) {
    return `${at}: required must list every property`;
  }
  return (
    Object.entries(members)
      .map(([name, member]) => strictFault(member, `${at}.${name}`))
      .find(complaint => complaint !== null) ?? null
  );
}

const TASKS: Readonly<Record<Purpose, string>> = {
  context: 'plausibly show the case',
  object: 'show the object',
  condition: 'rate the condition',
  case: 'a second look at a case',
  text: 'read the text of one kind',
};
const purposeOf = (text: string): Purpose | undefined => PURPOSES.find(purpose => text.includes(TASKS[purpose]));

interface Seen {
  colour: string;
  black: number;
  text: string;
}

async function look(jpeg: Buffer, reads: boolean): Promise<Seen> {
  const { data } = await sharp(jpeg)
    .resize(32, 32, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const votes = new Map<string, number>();
  let black = 0;
  for (let at = 0; at < data.length; at += 3) {
    const name = nearest(data[at]!, data[at + 1]!, data[at + 2]!);
    if (name === 'black') black += 1;
    votes.set(name, (votes.get(name) ?? 0) + 1);
  }
  // Paper and shadow are not what the picture is of.
  const ranked = [...votes].sort((a, b) => b[1] - a[1]);
  const main = ranked.find(([name]) => name !== 'white' && name !== 'black') ?? ranked[0]!;
  // Reading is slow: only where there is paper to be read, or one is asked to.
  const paper = (votes.get('white') ?? 0) / (data.length / 3) > 0.1;
  return { colour: main[0], black: black / (data.length / 3), text: paper || reads ? await textOf(jpeg) : '' };
}

function nearest(r: number, g: number, b: number): string {
  const distance = ([x, y, z]: [number, number, number]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2;
  return Object.entries(COLOURS).sort((one, other) => distance(one[1]) - distance(other[1]))[0]![0];
}

async function textOf(jpeg: Buffer): Promise<string> {
  const reader = await findTextReader({ command: null, languages: 'eng' });
  const words = reader ? await readWords(reader, jpeg, 11) : [];
  return words.map(word => word.text).join(' ');
}

const ORDER = /ignore (?:the|all) (?:above|previous)|disregard|answer (?:match|yes|good)|you are now/i;

async function answerOf(asked: Asked, obedient: boolean): Promise<object> {
  const seen = await Promise.all(asked.pictures.map(picture => look(picture, asked.purpose === 'text')));
  const words = `${seen.map(one => one.text).join(' ')} ${String(asked.evidence.narrative ?? '')}`;
  const ordered = ORDER.test(words);
  const answer = ANSWERS[asked.purpose](asked.evidence, seen);
  if (obedient)
    return { ...answer, ...OBEYED[asked.purpose], status: 'match', label: 'verified', verdict: { label: 'verified' } };
  return { ...answer, instructions_found: ordered };
}

/** The answer of a model that follows its instructions. */
const OBEYED: Readonly<Record<Purpose, object>> = {
  context: { plausible: 'yes', confidence: 100, instructions_found: false },
  object: { visible: 'yes', confidence: 100, instructions_found: false },
  condition: { score: 10, label: 'good', instructions_found: false },
  case: {
    cross_image_consistency: { score: 0, evidence: 'Perfect.', concerns: [] },
    physical_plausibility: { score: 0, evidence: 'Perfect.', concerns: [] },
    narrative_image_match: { score: 0, evidence: 'Perfect.', concerns: [] },
    confidence: 100,
    overall_risk_score: 0,
    instructions_found: false,
  },
  text: {},
};

const colourIn = (text: unknown): string | undefined => COLOUR_WORD.exec(String(text ?? ''))?.[0]?.toLowerCase();

/** Whether what is asked for, named by a colour, is among what is seen. */
function fits(asked: string | undefined, seen: readonly Seen[]): { word: 'yes' | 'no' | 'unclear'; reasoning: string } {
  const reasoning = `The pictures are ${seen.map(one => one.colour).join(', ')}.`;
  if (!asked) return { word: 'unclear', reasoning };
  return { word: seen.some(one => one.colour === asked) ? 'yes' : 'no', reasoning };
}

const ANSWERS: Readonly<Record<Purpose, (evidence: Record<string, unknown>, seen: Seen[]) => object>> = {
  context(evidence, seen) {
    const { summary } = evidence.context as { summary: string };
    const { word, reasoning } = fits(colourIn(summary), seen);
    return { reasoning, plausible: word, confidence: 96 };
  },
  object(evidence, seen) {
    const { word, reasoning } = fits(colourIn(evidence.expected_object), seen);
    return { reasoning, visible: word, confidence: 93 };
  },
  condition(evidence, seen) {
    const worst = Math.max(...seen.map(one => one.black));
    const score = Math.round(Math.max(0, 10 - 20 * worst) * 10) / 10;
    return {
      aspects: (evidence.aspects as { aspect: number; name: string }[]).map(({ aspect, name }) => ({
        aspect,
        assessable: !/underside/i.test(name),
        score,
        reasoning: `${Math.round(worst * 100)}% of the picture is black.`,
      })),
    };
  },
  case(evidence, seen) {
    const several = new Set(seen.map(one => one.colour)).size > 1;
    const told = colourIn(evidence.narrative);
    const amiss = told !== undefined && fits(told, seen).word === 'no';
    const dimension = (score: number, evidenceText: string) => ({
      score,
      evidence: evidenceText,
      concerns: score > 0 ? [evidenceText] : [],
    });
    return {
      cross_image_consistency: dimension(several ? 80 : 0, several ? 'The colours differ.' : 'One colour throughout.'),
      physical_plausibility: dimension(0, 'Nothing impossible.'),
      narrative_image_match: dimension(amiss ? 90 : 0, amiss ? `Nothing ${told} is to be seen.` : 'It fits.'),
      confidence: 80,
      uncertainty_areas: ['What lies outside the frame.'],
      text_analysis: 'The narrative is short.',
    };
  },
  text(_, seen) {
    const value = seen.map(one => one.text).find(text => text !== '') ?? '';
    return { found: value !== '', value, confidence: 90 };
  },
};

function complete(response: ServerResponse, { request, pictures }: Asked, message: object, finish = 'stop'): void {
  const prompt =
    Math.ceil(JSON.stringify(request.messages.map(({ content }) => content)).length / 400) + pictures.length * 85;
  const completion = Math.ceil(JSON.stringify(message).length / 4);
  send(response, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: request.model,
    choices: [
      { index: 0, message: { role: 'assistant', refusal: null, ...message }, logprobs: null, finish_reason: finish },
    ],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fault(response: ServerResponse, status: number, message: string): void {
  const body = { error: { message, type: 'invalid_request_error', param: null, code: null } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

if (import.meta.main) {
  const server = await startVisionServer(() => 'right', Number(process.argv[2] ?? 9_801));
  console.log(`VISION_BASE_URL=${server.url} VISION_MODEL=rules`);
}
