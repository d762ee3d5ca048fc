import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useRead } from '../base/api/read.ts';
import { useWords } from '../base/language.tsx';
import { Icon, type IconName } from '../base/parts/icon.tsx';
import { Section } from '../base/parts/section.tsx';
import { Read } from '../base/parts/states.tsx';
import { useMay, useSignedIn } from '../entry/session/signed-in.ts';

const NONE = { all: 0, mine: 0 };

/** What this person can do now: cases to review, invitations to accept. */
export function Waiting() {
  const { t, number } = useWords();
  const mayReview = useMay('reviewer');
  const isMember = useMay('member');
  const { person, invitations = [] } = useSignedIn();
  const waiting = useRead(
    ['verifications', 'waiting'],
    'GET /v1/reviews/waiting',
    {},
    mayReview ? {} : { initialData: NONE, enabled: false },
  );
  return (
    <Section title={t('home.waiting')}>
      <Read query={waiting}>
        {({ all, mine }) => {
          return (
            <>
              {all === 0 && invitations.length === 0 && <p>{t('home.nothingWaits')}</p>}
              <ul className="rows">
                {all > 0 && (
                  <Row icon="eye" text={t('home.cases', { n: number(all) })}>
                    <Link href="/review" className="button main slim">
                      {t('home.reviewThem')}
                    </Link>
                  </Row>
                )}
                {mine > 0 && (
                  <Row icon="person" text={t('home.mine', { n: number(mine) })}>
                    <Link href={`/verifications?assigned_to=${person.id}`} className="button quiet slim">
                      {t('home.seeMine')}
                    </Link>
                  </Row>
                )}
                {invitations.map(({ id, name }) => (
                  <Row key={id} icon="person" text={t('home.invitation', { tenant: name })}>
                    <Link href="/account" className="button quiet slim">
                      {t('home.seeInvitation')}
                    </Link>
                  </Row>
                ))}
              </ul>
            </>
          );
        }}
      </Read>
      <p>
        <Link href="/verifications">{t(isMember ? 'home.nextFirst' : 'home.nextList')}</Link>
      </p>
    </Section>
  );
}

const Row = ({ icon, text, children }: { icon: IconName; text: string; children?: ReactNode }) => (
  <li className="row">
    <Icon name={icon} />
    <div className="row-main">
      <span className="row-name">{text}</span>
    </div>
    {children && <div className="row-actions">{children}</div>}
  </li>
);
