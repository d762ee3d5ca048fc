import type { Claim } from './claim.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const text = (value: string): string => value.replace(/[&<>"']/g, character => ENTITIES[character]!);

const page = (title: string, body: string, head = ''): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${text(title)}</title>
${head}
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  label { display: block; margin: 0.5rem 0 } input { font: inherit } td, th { text-align: left; padding: 0.2rem 1rem 0.2rem 0 }
</style>
<h1>${text(title)}</h1>
${body}
</html>`;

export const claimsPage = (claims: readonly Claim[]): string =>
  page(
    'Claims',
    `<form method="post" action="/claims">
  <label>Claim number <input name="number" required maxlength="100"></label>
  <label>E-mail of the claimant <input name="email" type="email"></label>
  <button>Ask for photos</button>
</form>
<table>
  <tr><th>Claim<th>Status<th>Verdict
  ${claims
    .map(
      ({ id, number, status, verdict }) =>
        `<tr><td><a href="/claims/${id}">${text(number)}</a><td>${text(status)}<td>${text(verdict?.label ?? '')}`,
    )
    .join('\n  ')}
</table>`,
  );

/** What a clerk does with each verdict. */
const ADVICE = {
  verified: 'No check found anything.',
  suspicious: 'A check was not sure. Let a person look at the photos.',
  failed: 'A check found fraud. Let a person look at the photos.',
} as const;

function mailTo({ email, number, captureUrl = '' }: Claim): string {
  const subject = encodeURIComponent(`Photos for claim ${number}`);
  const body = encodeURIComponent(`Please take the photos with your phone: ${captureUrl}`);
  return `mailto:${encodeURIComponent(email)}?subject=${subject}&body=${body}`;
}

export function claimPage(claim: Claim): string {
  const { id, number, captureUrl = '', status, verdict, review, events } = claim;
  const ended = ['completed', 'expired', 'failed'].includes(status);
  return page(
    `Claim ${number}`,
    `<p>Status: <b>${text(status)}</b></p>
${ended ? '' : `<p>Send this link: <a href="${text(captureUrl)}">${text(captureUrl)}</a> (<a href="${text(mailTo(claim))}">by e-mail</a>)</p>`}
${verdict ? `<p>Verdict: <b>${text(verdict.label)}</b>, score ${verdict.score}${verdict.reason_code ? `, ${text(verdict.reason_code)}` : ''}. ${ADVICE[verdict.label]}</p>` : ''}
${review && review.state !== 'none' ? `<p>Review: ${text(review.decision ?? review.state)}</p>` : ''}
${status === 'completed' ? `<p><a href="/claims/${id}/bundle">Download the evidence</a></p>` : ''}
<ol>${events.map(type => `<li>${text(type)}`).join('')}</ol>
<p><a href="/">All claims</a></p>`,
    ended ? '' : '<meta http-equiv="refresh" content="3">',
  );
}
