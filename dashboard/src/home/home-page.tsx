import type { Role } from '@firsthand/contract/people/people.ts';
import { Link } from 'wouter';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Section } from '../base/parts/section.tsx';
import { Notice } from '../base/parts/states.tsx';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { passkeysHere } from '../entry/sign-in/passkey.ts';
import { Health } from './health.tsx';
import { Since } from './since.tsx';
import { Waiting } from './waiting.tsx';

/** The rights that each role adds to those before it. */
const MAY: [Role, MessageKey][] = [
  ['viewer', 'may.viewer'],
  ['reviewer', 'may.reviewer'],
  ['member', 'may.member'],
  ['owner', 'may.owner'],
];

/** What waits for the signed-in person, what changed since they were here, what is broken, and their rights. */
export default function HomePage() {
  const { t } = useWords();
  const { person, tenant, passkeys } = useSignedIn();
  const rank = MAY.findIndex(([role]) => role === tenant.role);
  return (
    <>
      <PageTitle intro={t('home.intro', { tenant: tenant.name, role: t(`role.${tenant.role}`) })}>
        {person.name === undefined ? t('home.titleNameless') : t('home.title', { name: person.name })}
      </PageTitle>
      {passkeysHere && passkeys.length === 0 && (
        <Notice look="info" icon="key">
          {t('home.passkey')} <Link href="/account">{t('home.passkeyLink')}</Link>
        </Notice>
      )}
      <Waiting />
      <Since />
      {rank >= 2 && <Health />}
      <Section title={t('home.mayTitle')}>
        <ul className="may">
          {MAY.map(([role, key], index) => (
            <li key={role} data-may={index <= rank}>
              <Icon name={index <= rank ? 'check' : 'lock'} />
              <span>
                {index > rank && <span className="unseen">{t('home.mayNot')} </span>}
                {t(key)}
                {index > rank && <span className="soft small"> {t('home.from', { role: t(`role.${role}`) })}</span>}
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
