export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The same each time one message is sent, so that a mailbox can recognise a repeat. Letters, digits, `_`, `-`. */
  id: string;
}

export interface Mailer {
  /** Hands one message to the SMTP server. Throws {@link MailRefused} when another try is useless. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The server permanently refused the message or its recipient (RFC 5321: a 5yz reply). */
export class MailRefused extends Error {
  override name = 'MailRefused';
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** Loaded by whoever sends mail: most commands and many installations send none. */
const nodemailer = () => import('nodemailer');

/**
 * Sends mail by SMTP over a few kept connections.
 *
 * @param o.url `smtp://` or `smtps://`, with user and password where the server asks for them
 * @param o.from an address, with a display name or without
 */
export async function createMailer(o: { url: string; from: string }): Promise<Mailer> {
  const { createTransport } = await nodemailer();
  const transport = createTransport({
    url: o.url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(o.from)?.[1] ?? 'localhost';
  return {
    async send({ to, subject, text, html, id }) {
      try {
        await transport.sendMail({
          from: o.from,
          // An object is always one address; a text could be a list of addresses.
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        const { responseCode } = error as { responseCode?: number };
        if (responseCode !== undefined && responseCode >= 500) {
          throw new MailRefused('the SMTP server refused the message', { cause: error });
        }
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** Connects and signs in to the SMTP server, and sends nothing. Rejects when that fails. */
export async function askMailServer(url: string): Promise<void> {
  const { createTransport } = await nodemailer();
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
