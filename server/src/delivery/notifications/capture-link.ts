import type { Language } from '@firsthand/contract/base/languages.ts';
import type { LinkChannel } from '@firsthand/contract/verification/send-link.ts';
import { brandOf } from '../../identity/tenants/brands.ts';
import { one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { lockCurrent } from '../../verification/verifications/advance.ts';
import {
  answeredKeys,
  capturesOf,
  findVerification,
  heldBy,
  isTerminal,
  type VerificationRow,
} from '../../verification/verifications/row.ts';
import { requirementsMet } from '../../verification/verifications/steps.ts';
import { askBot } from './bot.ts';
import { mailLetter } from './letter.ts';
import { type Asked, letterOf, textOf } from './link-words.ts';

type Senders = Pick<Deps, 'config' | 'log' | 'db' | 'keyring' | 'origins' | 'clock' | 'mailer'>;

/** Job: mails a person of a batch the link to their photos, unless it has ended meanwhile. */
export async function mailCaptureLink(deps: Senders, verificationId: string): Promise<void> {
  const row = await findVerification(deps.db, verificationId);
  const address = row?.private.person?.email;
  if (!row || !address || row.redacted_at || isTerminal(row.status) || row.expires_at <= deps.clock.now()) return;
  await send(deps, row, { id: `link-${row.id}`, kind: 'link', channel: 'email', address, locale: 'en' });
}

interface Message {
  id: string;
  kind: 'link' | 'reminder';
  channel: LinkChannel;
  address: string;
  locale: Language;
}

type MessageRow = Message & { verification_id: string; created_at: Date };

/** Job: sends a link that somebody asked to send, or the reminder of it, unless the verification has ended or has everything. */
export async function sendLink(deps: Senders, messageId: string): Promise<void> {
  const due = await transaction(deps.db, tx => takeDue(tx, deps, messageId));
  if (!due) return;
  const { message, row } = due;
  try {
    await send(deps, row, message);
  } catch (error) {
    if (message.kind === 'reminder') await putBack(deps.db, message);
    throw error;
  }
  await forget(deps.db, messageId);
}

/**
 * Reads the message with its verification, under the lock of the verification. Deletes a reminder before it is sent: a crash may lose
 * it, but never sends it twice. Keeps a link until it is sent: a crash may send it twice, with the same id.
 */
async function takeDue(
  tx: Tx,
  deps: Senders,
  id: string,
): Promise<{ message: MessageRow; row: VerificationRow } | null> {
  const message = await one<MessageRow>(tx, 'select * from link_messages where id = $1', [id]);
  if (!message) return null;
  const row = await lockCurrent(tx, deps, message.verification_id);
  const wanted = row !== undefined && (await lacksPhotos(tx, deps, row));
  if (!wanted || message.kind === 'reminder') await forget(tx, id);
  return wanted ? { message, row } : null;
}

async function lacksPhotos(tx: Tx, { clock }: Pick<Deps, 'clock'>, row: VerificationRow): Promise<boolean> {
  if (row.redacted_at || isTerminal(row.status) || row.expires_at <= clock.now()) return false;
  return !requirementsMet(row.config.steps, heldBy(await capturesOf(tx, row.id)), answeredKeys(row));
}

async function forget(db: Queryable, id: string): Promise<void> {
  await db.query('delete from link_messages where id = $1', [id]);
}

/** Puts a reminder back that could not be sent, unless a newer one waits or the verification was erased. */
async function putBack(
  db: Queryable,
  { id, verification_id, channel, address, locale, created_at }: MessageRow,
): Promise<void> {
  await db.query(
    `insert into link_messages (id, verification_id, kind, channel, address, locale, created_at)
     select $1, v.id, 'reminder', $3, $4, $5, $6 from verifications v where v.id = $2 and v.redacted_at is null
     on conflict do nothing`,
    [id, verification_id, channel, address, locale, created_at],
  );
}

async function send(deps: Senders, row: VerificationRow, message: Message): Promise<void> {
  const { channel, address, locale, kind, id } = message;
  const asked: Asked = {
    name: await nameOf(deps, row),
    reminds: kind === 'reminder',
    livemode: row.livemode,
    expiresAt: row.expires_at,
    url: `${deps.origins.capture}/v/${row.id}`,
  };
  if (channel === 'phone') {
    const { botUrl } = deps.config;
    if (botUrl === null) return;
    await askBot(deps, botUrl, {
      type: 'capture_link',
      phone_e164: address,
      text: textOf(asked, locale),
      link: asked.url,
      locale,
      reminder: asked.reminds,
      expires_at: row.expires_at.toISOString(),
    });
  } else if (deps.mailer) {
    const letter = letterOf(asked, locale);
    await mailLetter(deps, deps.mailer, { to: address, id, about: { verificationId: row.id }, letter });
  }
}

/** Who asks: the brand that the page wears, else the account. */
async function nameOf(deps: Pick<Deps, 'db' | 'origins'>, row: VerificationRow): Promise<string> {
  const brand = await brandOf(deps, row);
  if (brand) return brand.name;
  return (await one<{ name: string }>(deps.db, 'select name from tenants where id = $1', [row.tenant_id]))!.name;
}
