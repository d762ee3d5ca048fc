import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { FindingRow } from '../admin/system/finding-row.tsx';
import { ENDPOINTS, EndpointRow, stateOf } from '../admin/webhooks/endpoint-row.tsx';
import { useRead } from '../base/api/read.ts';
import { useWords } from '../base/language.tsx';
import { Section } from '../base/parts/section.tsx';
import { Tag } from '../base/parts/shown.tsx';
import { Read } from '../base/parts/states.tsx';
import { useMay } from '../entry/session/signed-in.ts';

/** Whether webhooks arrive, and for owners whether the installation works; what is broken, with what helps. */
export function Health() {
  const { t } = useWords();
  const isOwner = useMay('owner');
  return (
    <Section title={t('home.health')}>
      <Webhooks />
      {isOwner && <System />}
    </Section>
  );
}

function Webhooks() {
  const { t, number } = useWords();
  const endpoints = useRead([...ENDPOINTS, 'health'], 'GET /v1/webhook-endpoints', { query: { limit: '100' } });
  return (
    <Read query={endpoints}>
      {({ data }) => {
        const bad = data.filter(endpoint => stateOf(endpoint) !== 'fine');
        return (
          <ul className="rows">
            {bad.map(endpoint => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} />
            ))}
            {bad.length === 0 && data.length > 0 && <Fine>{t('home.webhooksFine', { n: number(data.length) })}</Fine>}
            {data.length === 0 && (
              <li className="row">
                <Link href="/webhooks">{t('home.noWebhooks')}</Link>
              </li>
            )}
          </ul>
        );
      }}
    </Read>
  );
}

function System() {
  const { t } = useWords();
  const system = useRead(['system'], 'GET /v1/system', {});
  return (
    <Read query={system}>
      {({ findings }) => {
        const wrong = findings.filter(({ state }) => state === 'wrong');
        return (
          <ul className="rows">
            {wrong.map(finding => (
              <FindingRow key={finding.part} finding={finding} />
            ))}
            {wrong.length === 0 && <Fine>{t('home.systemFine')}</Fine>}
          </ul>
        );
      }}
    </Read>
  );
}

/** Nothing to do. */
function Fine({ children }: { children: ReactNode }) {
  const { t } = useWords();
  return (
    <li className="row">
      <Tag look={['check', 'verified']}>{t('endpoint.fine')}</Tag>
      <div className="row-main">
        <span>{children}</span>
      </div>
    </li>
  );
}
