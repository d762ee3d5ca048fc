import type { Language } from '@firsthand/contract/base/languages.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Mailer, MailRefused } from '../../platform/lib/mail.ts';
import { bounded } from '../../platform/lib/text.ts';

/** A short message: what happened, the facts, one link. */
export interface Letter {
  /** English unless given. */
  language?: Language;
  /** Of the e-mail, in one line. */
  subject: string;
  heading: string;
  /** One or two sentences. */
  lead: string;
  facts: readonly (readonly [name: string, value: string])[];
  link: { text: string; url: string };
  /** Why the reader gets this. */
  footer: string;
}

const LINE_MAX = 998;

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`).replaceAll('\n', ' ');

/** One line: a reference may hold anything. */
const line = (text: string): string => bounded(text, LINE_MAX);

/** Mails a letter. Logs it with `about` if the mail server refuses it for good, because another try is useless. */
export async function mailLetter(
  deps: Pick<Deps, 'log'>,
  mailer: Mailer,
  /** `id`: the same each time one message is sent. */
  { to, id, about, letter }: { to: string; id: string; about: Record<string, unknown>; letter: Letter },
): Promise<void> {
  try {
    await mailer.send({ to, id, subject: line(letter.subject), ...renderLetter(letter) });
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    deps.log.warn({ err: error, ...about }, 'an e-mail was refused for good and is not sent');
  }
}

/** The same words twice: as plain text, and as HTML without images, scripts or anything that is loaded. */
function renderLetter({ language = 'en', heading, lead, facts, link, footer }: Letter): { text: string; html: string } {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const text = [
    heading,
    '',
    lead,
    '',
    ...facts.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${line(value)}`),
    '',
    `${link.text}:`,
    link.url,
    '',
    '--',
    footer,
    '',
  ].join('\n');
  const rows = facts
    .map(
      ([name, value]) =>
        `<tr><td style="padding-block:4px;padding-inline-end:16px;color:#64748b;vertical-align:top">${escapeHtml(name)}</td>` +
        `<td style="padding:4px 0;word-break:break-word">${escapeHtml(line(value))}</td></tr>`,
    )
    .join('');
  const html = [
    `<!doctype html><html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(heading)}</title></head>`,
    '<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif">',
    '<div style="max-width:560px;margin:0 auto">',
    `<h1 style="font-size:20px;line-height:1.3;margin:0 0 8px">${escapeHtml(heading)}</h1>`,
    `<p style="margin:0 0 16px">${escapeHtml(lead)}</p>`,
    `<table style="border-collapse:collapse;margin:0 0 24px;font-variant-numeric:tabular-nums">${rows}</table>`,
    `<p style="margin:0 0 32px"><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:10px 20px;` +
      `border-radius:999px;background:#0f6f74;color:#ffffff;text-decoration:none">${escapeHtml(link.text)}</a></p>`,
    `<p style="margin:0;color:#64748b;font-size:13px">${escapeHtml(footer)}</p>`,
    '</div></body></html>',
  ].join('\n');
  return { text, html };
}
