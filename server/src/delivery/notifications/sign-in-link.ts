import { forgetMail } from '../../identity/people/forget.ts';
import { openedBy } from '../../identity/people/openings.ts';
import { memberWith } from '../../identity/people/persons.ts';
import { mayBeMailed, mintLink, type Purpose } from '../../identity/people/tokens.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Letter, mailLetter } from './letter.ts';

interface MailRow {
  id: string;
  purpose: Extract<Purpose, 'magic_link' | 'invitation'>;
  email: string;
  tenant_id: string | null;
  tenant_name: string | null;
}

/** Job: mails a link that signs in once, if the address is anybody's. The row goes when there is nothing more to do. */
export async function mailSignInLink(
  deps: Pick<Deps, 'log' | 'db' | 'origins' | 'clock' | 'mailer'>,
  mailId: string,
): Promise<void> {
  const mail = await one<MailRow>(
    deps.db,
    `select s.id, s.purpose, s.email, s.tenant_id, t.name as tenant_name
     from sign_in_mails s left join tenants t on t.id = s.tenant_id where s.id = $1`,
    [mailId],
  );
  if (!mail) return;
  const link = await linkFor(deps, mail);
  if (link && deps.mailer) {
    await mailLetter(deps, deps.mailer, { to: mail.email, id: mail.id, about: {}, letter: letterOf(mail, link) });
  }
  await forgetMail(deps.db, mailId);
}

const linkFor = (deps: Pick<Deps, 'db' | 'origins' | 'clock'>, mail: MailRow): Promise<string | null> =>
  transaction(deps.db, async tx => {
    const { email, tenant_id: tenantId, purpose, id: mailId } = mail;
    const invited = tenantId === null ? null : ((await memberWith(tx, tenantId, { email }))?.id ?? null);
    if (tenantId === null ? (await openedBy(tx, { email })).length === 0 : invited === null) return null;
    if (purpose === 'magic_link' && !(await mayBeMailed(tx, email, mailId, deps.clock.now()))) return null;
    return mintLink(tx, deps, { purpose, personId: invited, email, mailId });
  });

function letterOf(mail: MailRow, url: string): Letter {
  if (mail.purpose === 'invitation') {
    const account = mail.tenant_name ?? 'an account';
    return {
      subject: 'You are invited to Firsthand',
      heading: 'You are invited to Firsthand',
      lead: 'Open the link to sign in. It works once, within 7 days.',
      facts: [['Account', account]],
      link: { text: 'Accept the invitation', url },
      footer: 'You get this because an owner of the account entered your address. If you do not know them, do nothing.',
    };
  }
  return {
    subject: 'Sign in to Firsthand',
    heading: 'Sign in to Firsthand',
    lead: 'Open the link to sign in. It works once, within 10 minutes.',
    facts: [],
    link: { text: 'Sign in', url },
    footer: 'You get this because somebody asked to sign in with your address. If it was not you, do nothing.',
  };
}
