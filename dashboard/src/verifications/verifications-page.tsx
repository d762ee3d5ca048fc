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
import { useMay } from '../entry/session/signed-in.ts';
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
  const mayMake = useMay('member');
  const [, goTo] = useLocation();
  const address = useSearch();
  const filters = useMemo(() => filtersOf(address), [address]);
  const search = searchOf(filters);
  const list = useRows(filters);
  const { query, rows, total, waiting, showNew } = list;
  const [picked, setPicked] = usePicked(search);
  return (
    <div className="wide list-page stack">
      <TitleLine filters={filters} isEmpty={rows.length === 0} />
      <ViewBar search={search} />
      <FilterBar filters={filters} onChange={next => goTo(`/verifications${searchOf(next)}`, { replace: true })} />
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
          <PickableGrid key={search} list={list} picked={picked} onPicked={setPicked} />
        ) : search === '' ? (
          <First mayMake={mayMake} onArrived={() => void showNew()} />
        ) : (
          <Empty icon="search" title={t('verifications.noMatch')}>
            <p>{t('verifications.noMatchText')}</p>
            <Button onPress={() => goTo('/verifications')}>{t('verifications.showAll')}</Button>
          </Empty>
        ))}
    </div>
  );
}

/** The picked rows. Other filters are another list: nothing out of sight stays picked. */
function usePicked(search: string): [picked: Picked, setPicked: (picked: Picked) => void] {
  const [picking, setPicking] = useState<{ search: string; picked: Picked }>({ search, picked: NOTHING_PICKED });
  return [picking.search === search ? picking.picked : NOTHING_PICKED, picked => setPicking({ search, picked })];
}

function TitleLine({ filters, isEmpty }: { filters: Filters; isEmpty: boolean }) {
  const { t } = useWords();
  const asked = Object.entries(queryOf(filters)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const said = asked.length > 0 ? `?${new URLSearchParams(asked)}` : '';
  const exported = `/v1/verifications/export${said}`;
  return (
    <div className="title-line">
      <PageTitle>{t('page.verifications')}</PageTitle>
      <div className="toolbar">
        <Link className="button plain slim" href="/bulk-acts">
          <Icon name="layers" />
          {t('page.bulkActions')}
        </Link>
        {!isEmpty && (
          <a className="button quiet slim" href={ROOT + exported} download="verifications.csv">
            <Icon name="download" />
            {t('verifications.export')}
          </a>
        )}
        <CurlMenu
          requests={[
            { label: t('verifications.list'), to: `GET /v1/verifications${said}` },
            { label: t('verifications.export'), to: `GET ${exported}` },
          ]}
        />
      </div>
    </div>
  );
}

interface PickableGridProps {
  list: ReturnType<typeof useRows>;
  picked: Picked;
  onPicked: (picked: Picked) => void;
}

/** The rows, which a person picks for an action on many. Reads the next page as its end comes into sight. */
function PickableGrid({ list: { query, rows }, picked, onPicked }: PickableGridProps) {
  const { t } = useWords();
  const fetchNext = useRef(query.fetchNextPage);
  useEffect(() => {
    fetchNext.current = query.fetchNextPage;
  });
  const mayFetch = query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError;
  return (
    <Grid
      rows={rows}
      label={t('page.verifications')}
      more={query.hasNextPage}
      onMore={() => mayFetch && void fetchNext.current()}
      picked={id => picked.all || picked.ids.has(id)}
      onPick={(ids, on) => {
        const next = new Set(picked.all ? rows.map(row => row.id) : picked.ids);
        for (const id of ids) {
          if (on) next.add(id);
          else next.delete(id);
        }
        onPicked({ all: false, ids: next });
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
  );
}
