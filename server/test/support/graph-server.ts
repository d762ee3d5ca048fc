import { createHmac } from 'node:crypto';
import { bodyOf, openServer } from './local-server.ts';

export interface GraphMessage {
  id: string;
  to?: string;
  recipient?: string;
  type: string;
  text?: { body: string };
  interactive?: { type: string; body: { text: string }; action: { parameters: { display_text: string; url: string } } };
  template?: {
    name: string;
    language: { code: string };
    components: { type: string; sub_type?: string; parameters: { text: string }[] }[];
  };
}

export interface GraphError {
  status: number;
  code?: number;
  message?: string;
}

export const PHONE_ID = '106540352242922';
export const APP_SECRET = 'app-secret-of-the-test';
export const TOKEN = 'token-of-the-test';

/**
 * What Meta's WhatsApp Cloud API does with messages, after its documentation: a bearer token, the shapes it takes, its error bodies, and
 * webhooks signed over the bytes. A user id in `to` is answered 200 and lost, as there.
 */
export async function openGraph() {
  const sent: GraphMessage[] = [];
  const at: { id: string; ms: number }[] = [];
  const arrived: string[] = [];
  const failures: { error: GraphError; matches: (message: GraphMessage) => boolean }[] = [];
  const state = { waIdOf: (to: string): string => to, hold: Promise.resolve() };
  let count = 0;
  const { url, close } = await openServer(async (request, response) => {
    const message = JSON.parse((await bodyOf(request)).toString()) as GraphMessage;
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const refuse = ({ status, code = 100, message: text = 'refused' }: GraphError) =>
      answer(status, { error: { message: `(#${code}) ${text}`, type: 'OAuthException', code, fbtrace_id: 'A1' } });
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return refuse({ status: 401, code: 190 });
    if (request.url !== `/v25.0/${PHONE_ID}/messages`) return refuse({ status: 404 });
    const fault = faultOf(message);
    if (fault) return refuse({ status: 400, code: 131_009, message: fault });
    const receiver = message.to ?? message.recipient!;
    arrived.push(receiver);
    await state.hold;
    const failure = failures.findIndex(({ matches }) => matches(message));
    at.push({ id: receiver, ms: Date.now() });
    if (failure >= 0) return refuse(failures.splice(failure, 1)[0]!.error);
    count += 1;
    const id = `wamid.${count}`;
    if (message.to === undefined || /^\d+$/.test(message.to)) sent.push({ ...message, id });
    const contact = message.to
      ? { input: message.to, wa_id: state.waIdOf(message.to) }
      : { input: message.recipient, user_id: message.recipient };
    return answer(200, { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id }] });
  });
  return {
    url: `${url}/v25.0`,
    /** What people would see. */
    sent,
    /** The receiver of each request, as soon as it came. */
    arrived,
    /** The same once it was answered, also where it was refused. */
    at,
    /** Answers one message so, the next that matches. */
    fail: (error: GraphError, matches: (message: GraphMessage) => boolean = () => true) =>
      void failures.push({ error, matches }),
    state,
    close,
  };
}

function faultOf(message: GraphMessage & { messaging_product?: string; recipient_type?: string }): string | undefined {
  if (message.messaging_product !== 'whatsapp') return 'messaging_product';
  if (message.recipient_type !== undefined && message.recipient_type !== 'individual') return 'recipient_type';
  if (!message.to && !message.recipient) return 'to';
  const { type, text, interactive, template } = message;
  if (type === 'text') return text && text.body.length <= 4096 ? undefined : 'text';
  if (type === 'interactive') {
    const parameters = interactive?.action.parameters;
    const fits = parameters && parameters.display_text.length <= 20 && parameters.url.startsWith('http');
    return interactive?.type === 'cta_url' && fits && interactive.body.text.length <= 1024 ? undefined : 'interactive';
  }
  if (type !== 'template' || !template?.name || !template.language.code) return 'template';
  const values = template.components.flatMap(({ parameters }) => parameters);
  // Newlines and tabs in parameters are refused there.
  return values.every(({ text: value }) => value && !/[\n\t]/.test(value)) ? undefined : 'template parameters';
}

/** Posts bytes to a bot's webhook, signed as Meta signs them. */
export const deliver = (bot: string, raw: string | Buffer, secret = APP_SECRET) =>
  fetch(`${bot}/whatsapp`, {
    method: 'POST',
    body: raw,
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
    },
  });

/** The envelope of a webhook around one or more `value` objects. */
export const envelope = (...values: object[]): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: values.map(value => ({ field: 'messages', value: withNumber(value) })) }],
  });

const withNumber = (value: object) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '15550783881', phone_number_id: PHONE_ID },
  ...value,
});

export interface Writer {
  wa_id?: string;
  user_id?: string;
}

/** A text message as it comes in a webhook; `more` replaces members of the message. */
export function written({ wa_id, user_id }: Writer, id: string, more: object = {}) {
  return {
    contacts: [{ profile: { name: 'José' }, ...(wa_id ? { wa_id } : {}), ...(user_id ? { user_id } : {}) }],
    messages: [
      {
        ...(wa_id ? { from: wa_id } : {}),
        ...(user_id ? { from_user_id: user_id } : {}),
        id,
        timestamp: String(Math.floor(Date.now() / 1_000)),
        type: 'text',
        text: { body: 'Hola, señor: ¿las fotos?' },
        ...more,
      },
    ],
  };
}

export const statusOf = (id: string, status: string, error?: { code: number; title: string }) => ({
  statuses: [
    {
      id,
      status,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      recipient_id: '491511234567',
      ...(error ? { errors: [error] } : {}),
    },
  ],
});
