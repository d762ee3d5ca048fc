import { openedBy } from '../../identity/people/openings.ts';
import { codeOf } from '../../identity/people/sign-in/one-time-code.ts';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { askBot } from './bot.ts';

/** Job: asks the messaging bot to send a code if a person has this number. A repeat sends the same code. */
export async function sendOneTimeCode(
  deps: Pick<Deps, 'config' | 'db' | 'keyring' | 'clock'>,
  otpId: string,
): Promise<void> {
  const { botUrl } = deps.config;
  const row = await one<{ phone_e164: string; expires_at: Date }>(
    deps.db,
    'select phone_e164, expires_at from one_time_codes where id = $1 and used_at is null and expires_at > $2',
    [otpId, deps.clock.now()],
  );
  if (!row || botUrl === null || (await openedBy(deps.db, { phone_e164: row.phone_e164 })).length === 0) return;
  await askBot(deps, botUrl, {
    type: 'one_time_code',
    phone_e164: row.phone_e164,
    code: codeOf(deps, otpId),
    expires_at: row.expires_at.toISOString(),
  });
}
