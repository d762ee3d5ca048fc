import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header names in lower case. */
  headers: Record<string, string>;
  /** The parts of the message, decoded, by their type. */
  parts: Record<string, string>;
  raw: string;
}

/** A real SMTP server that keeps what it is sent; `refuse` gives the code to answer a recipient with. */
export async function openMailbox(refuse: (to: string) => number | null = () => null) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const code = refuse(address);
      done(code === null ? null : Object.assign(new Error('refused'), { responseCode: code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString('utf8');
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(to => to.address),
          ...parse(raw),
          raw,
        });
        done();
      });
    },
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    close: () => new Promise<void>(resolve => void server.close(resolve)),
  };
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'parts'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  if (!boundary) return { headers, parts: { [typeOf(headers)]: decode(headers, body) } };
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => split(part.replace(/^\r\n/, '')));
  return {
    headers,
    parts: Object.fromEntries(parts.map(part => [typeOf(part.headers), decode(part.headers, part.body)])),
  };
}

function split(text: string) {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: text.slice(end + 4) };
}

const typeOf = (headers: Record<string, string>): string => headers['content-type']?.split(';')[0] ?? 'text/plain';

function decode(headers: Record<string, string>, body: string): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
