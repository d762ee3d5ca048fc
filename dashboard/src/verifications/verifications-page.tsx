import { hasRole } from '@firsthand/contract/people/roles.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Empty, Failed, Loading, Problem } from '../base/parts/states.tsx';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { NOTHING_PICKED, type Picked } from '../bulk/picked.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, filtersOf, queryOf, searchOf } from './filters.ts';
import { First } from './first.tsx';
import { Grid } from './grid.tsx';
import { useRows } from './rows.ts';
import { ViewBar } from './view-bar.tsx';
import './verifications.css';

/** Every verification of this account and mode, newest first. */
export default function VerificationsPage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const [, goTo] = useLocation();
  const address = useSearch();
  const filters = useMemo(() => filtersOf(address), [address]);
  const search = searchOf(filters);
  const { query, rows, total, waiting, showNew } = useRows(filters);
  const [picking, setPicking] = useState<{ search: string; picked: Picked }>({ search, picked: NOTHING_PICKED });
  // Other filters are another list: nothing out of sight stays picked.
  const picked = picking.search === search ? picking.picked : NOTHING_PICKED;
  const setPicked = (next: Picked) => setPicking({ search, picked: next });
  const change = (next: Filters) => goTo(`/verifications${searchOf(next)}`, { replace: true });
  const more = query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError;
  const fetchNext = useRef(query.fetchNextPage);
  useEffect(() => {
    fetchNext.current = query.fetchNextPage;
  });
  const asked = Object.entries(queryOf(filters)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const said = asked.length > 0 ? `?${new URLSearchParams(asked)}` : '';
  const path = `/v1/verifications${said}`;
  const exported = `/v1/verifications/export${said}`;

  return (
    <div className="wide list-page">
      <div className="title-line">
        <PageTitle>{t('page.verifications')}</PageTitle>
        <div className="toolbar">
          <Link className="button plain slim" href="/bulk-acts">
            <Icon name="layers" />
            {t('page.bulkActs')}
          </Link>
          {rows.length > 0 && (
            <a className="button quiet slim" href={ROOT + exported} download="verifications.csv">
              <Icon name="download" />
              {t('verifications.export')}
            </a>
          )}
          <CurlMenu
            acts={[
              { label: t('verifications.list'), request: { method: 'GET', path } },
              { label: t('verifications.export'), request: { method: 'GET', path: exported } },
            ]}
          />
        </div>
      </div>
      <ViewBar search={search} />
      <FilterBar filters={filters} onChange={change} />
      <BulkBar picked={picked} onPicked={setPicked} total={total} filters={filters} />
      <div role="status" className="arrived">
        {waiting > 0 && (
          <Button weight="main" slim onPress={() => void showNew()}>
            <Icon name="undo" />
            {t('verifications.arrived', { n: waiting })}
          </Button>
        )}
      </div>
      {query.data === undefined && query.error && <Failed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data !== undefined &&
        (rows.length > 0 ? (
          <Grid
            key={search}
            rows={rows}
            label={t('page.verifications')}
            more={query.hasNextPage}
            onMore={() => more && void fetchNext.current()}
            picked={id => picked.all || picked.ids.has(id)}
            onPick={(ids, on) => {
              const next = new Set(picked.all ? rows.map(row => row.id) : picked.ids);
              for (const id of ids) {
                if (on) next.add(id);
                else next.delete(id);
              }
              setPicked({ all: false, ids: next });
            }}
            foot={
              query.isFetchNextPageError && (
                <div className="grid-foot">
                  <Problem error={query.error} />
                  <Button onPress={() => void query.fetchNextPage()}>{t('common.tryAgain')}</Button>
                </div>
              )
            }
          />
        ) : search === '' ? (
          <First mayMake={hasRole(tenant.role, 'member')} onArrived={() => void showNew()} />
        ) : (
          <Empty icon="search" title={t('verifications.noMatch')}>
            <p>{t('verifications.noMatchText')}</p>
            <Button onPress={() => goTo('/verifications')}>{t('verifications.showAll')}</Button>
          </Empty>
        ))}
    </div>
  );
}
