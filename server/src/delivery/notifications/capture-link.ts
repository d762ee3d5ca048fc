import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { isTerminal, type VerificationRow } from '../../verification/verifications/row.ts';
import { mailLetter } from './letter.ts';

type Row = Pick<VerificationRow, 'id' | 'status' | 'expires_at' | 'private' | 'redacted_at'> & { tenant_name: string };

/** Job: mails a person of a batch the link to their photos, unless it has ended meanwhile. */
export async function mailCaptureLink(
  deps: Pick<Deps, 'log' | 'db' | 'origins' | 'clock' | 'mailer'>,
  verificationId: string,
): Promise<void> {
  if (!deps.mailer) return;
  const row = await one<Row>(
    deps.db,
    `select v.id, v.status, v.expires_at, v.private, v.redacted_at, t.name as tenant_name
     from verifications v join tenants t on t.id = v.tenant_id where v.id = $1`,
    [verificationId],
  );
  const email = row?.private.person?.email;
  if (!row || !email || row.redacted_at || isTerminal(row.status) || row.expires_at <= deps.clock.now()) return;
  const until = `${row.expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const asks = `${row.tenant_name} asks you for photos`;
  await mailLetter(deps, deps.mailer, {
    to: email,
    id: `link-${row.id}`,
    about: { verificationId },
    letter: {
      subject: asks,
      heading: asks,
      lead: 'Open the link on your phone. The page shows you which photos to take.',
      facts: [['Works until', until]],
      link: { text: 'Take the photos', url: `${deps.origins.capture}/v/${row.id}` },
      footer: `You get this because ${row.tenant_name} entered your address. If you do not know them, do nothing.`,
    },
  });
}
