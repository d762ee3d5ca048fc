import type { Role } from '@firsthand/contract/people/people.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { Link } from 'wouter';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Section } from '../base/parts/section.tsx';
import { Notice } from '../base/parts/states.tsx';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { passkeysHere } from '../entry/sign-in/passkey.ts';
import { Today } from './today.tsx';

/** The rights that each role adds to those before it. */
const MAY: [Role, MessageKey][] = [
  ['viewer', 'may.viewer'],
  ['reviewer', 'may.reviewer'],
  ['member', 'may.member'],
  ['owner', 'may.owner'],
];

/** Today's numbers, and the rights of the signed-in person. */
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
      <Today />
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
      <Section title={t('home.nextTitle')}>
        <ul className="next">
          <li>
            <Link href="/verifications">{t(rank >= 2 ? 'home.nextFirst' : 'home.nextList')}</Link>
          </li>
          {rank >= 1 && (
            <li>
              <Link href="/review">{t('home.nextReview')}</Link>
            </li>
          )}
          <li>
            <Link href="/account">{t('home.nextAccount')}</Link>
          </li>
          <li>
            <Link href="/settings/people">
              {t(tenant.role === 'owner' ? 'home.nextPeople' : 'home.nextPeopleRead')}
            </Link>
          </li>
          <li>
            <a href={`${ROOT}/docs`}>{t('home.nextDocs')}</a>
          </li>
        </ul>
      </Section>
    </>
  );
}
