import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { dashboardLink } from './chat.ts';
import { mailLetter } from './letter.ts';

interface MentionRow {
  verification_id: string;
  livemode: boolean;
  by: string;
  email: string | null;
}

/**
 * Job: mails a person who was mentioned in a comment a link to the case, and nothing of the comment or the case. Skips it if the person
 * left the account or the case was erased since.
 */
export async function mailMention(
  deps: Pick<Deps, 'log' | 'db' | 'origins' | 'mailer'>,
  commentId: string,
  personId: string,
): Promise<void> {
  const row = await one<MentionRow>(
    deps.db,
    `select v.id as verification_id, v.livemode, c.person_name as by, p.email
     from review_comments c join verifications v on v.id = c.verification_id
       join memberships m on m.tenant_id = c.tenant_id and m.person_id = $2
       join persons p on p.id = m.person_id
     where c.id = $1 and $2 = any(c.mentions) and v.redacted_at is null and p.removed_at is null`,
    [commentId, personId],
  );
  if (!deps.mailer || !row?.email) return;
  await mailLetter(deps, deps.mailer, {
    to: row.email,
    id: `${commentId}-${personId}`,
    about: { comment: commentId },
    letter: {
      subject: 'You were mentioned on a case',
      heading: 'You were mentioned on a case',
      lead: 'Somebody wrote to you about a case. Sign in to read it.',
      facts: [['From', row.by]],
      link: { text: 'Open the case', url: dashboardLink(deps.origins.public, row) },
      footer: 'You get this e-mail because a person of your account named you in a comment.',
    },
  });
}
