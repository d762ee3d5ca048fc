import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A page of a few sentences, complete in itself: no script, no file, no picture. */
export interface PlainPage {
  status: number;
  title: string;
  lines: readonly string[];
  /** Markup behind the lines, with the parts of the policy that it needs. */
  more?: { html: string; policy: readonly string[] };
  /** Sites that may frame the page; default: none. */
  framedBy?: "'none'" | '*';
}

const STYLE = `:root{color-scheme:light dark;--ground:oklch(.982 .003 230);--ink:oklch(.245 .022 243);--soft:oklch(.5 .022 238)}
@media (prefers-color-scheme:dark){:root{--ground:oklch(.165 .014 245);--ink:oklch(.95 .006 230);--soft:oklch(.75 .014 232)}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-content:center;padding:24px;background:var(--ground);color:var(--ink);font:1rem/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:min(26rem,68ch)}h1{margin:0 0 12px;font-size:1.375rem;line-height:1.3;text-wrap:balance}p{margin:0 0 12px;color:var(--soft)}p:last-child{margin:0}button{font:inherit;font-weight:600;min-height:48px;padding:12px 24px;border:0;border-radius:12px;background:var(--ink);color:var(--ground)}button:focus-visible{outline:3px solid var(--soft);outline-offset:3px}`;

/** The source of a content security policy that allows exactly this text. */
export const policyHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);

export function sendPlainPage(
  reply: FastifyReply,
  { status, title, lines, more, framedBy = "'none'" }: PlainPage,
): FastifyReply {
  const policy = [
    "default-src 'none'",
    `style-src ${policyHash(STYLE)}`,
    "base-uri 'none'",
    `frame-ancestors ${framedBy}`,
    ...(more?.policy ?? ["form-action 'none'"]),
  ];
  if (framedBy === '*') reply.removeHeader('x-frame-options');
  const paragraphs = lines.map(line => `<p>${escapeHtml(line)}</p>`).join('');
  return reply
    .code(status)
    .header('content-security-policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${paragraphs}${more?.html ?? ''}</main></body></html>`,
    );
}
