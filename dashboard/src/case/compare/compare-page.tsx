import type { Capture, Verification } from '@firsthand/contract/verification/verification.ts';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { call } from '../../base/api/call.ts';
import { shortId, useCaseName } from '../../base/case-name.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { Table } from '../../base/parts/shown.tsx';
import { Empty, Failed, Loading } from '../../base/parts/states.tsx';
import { useFileFacts } from '../verification/file-facts.ts';
import { Compared } from './compared.tsx';
import { type Differing, factsThatDiffer } from './facts.ts';
import './compare.css';

/** Two photos in one view: what moves in one moves in the other. `a` and `b` name a capture, or a verification's first. */
export default function ComparePage() {
  const { t } = useWords();
  const factsOf = useFileFacts();
  const search = new URLSearchParams(useSearch());
  const [a, b] = [search.get('a') ?? '', search.get('b') ?? ''];
  const [verificationA, captureA] = a.split('/');
  const [verificationB, captureB] = b.split('/');
  const read = useQueries({
    queries: [verificationA, verificationB].map(id => ({
      queryKey: ['verification', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /v1/verifications/:id', { id: id ?? '', signal }),
      enabled: Boolean(id),
    })),
  });
  const photos = read.map(({ data }, index) => data && photoOf(data, index === 0 ? captureA : captureB));
  const failed = read.find(query => query.error);
  const [first, second] = photos;
  return (
    <div className="wide tall stack">
      <TitleLine
        title={t('page.compare')}
        intro={t('compare.intro')}
        requests={[verificationA, verificationB].flatMap((id, index) =>
          id ? [{ label: t(index === 0 ? 'compare.first' : 'compare.second'), to: `GET /v1/verifications/${id}` }] : [],
        )}
      />
      <Choose a={a} b={b} />
      {failed ? (
        <Failed
          error={failed.error}
          onRetry={() => void Promise.all(read.filter(query => query.error).map(query => query.refetch()))}
        />
      ) : !verificationA || !verificationB ? (
        <Empty icon="layers" title={t('compare.none')}>
          <p>{t('compare.noneText')}</p>
        </Empty>
      ) : read.some(query => query.isPending) ? (
        <Loading />
      ) : !first || !second ? (
        <Empty icon="camera" title={t('compare.noPhoto')}>
          <p>{t('compare.noPhotoText')}</p>
        </Empty>
      ) : (
        <>
          <Compared key={`${a} ${b}`} first={first} second={second} />
          <Names of={read.map(({ data }) => data)} />
          <Facts rows={factsThatDiffer(factsOf(first), factsOf(second))} />
        </>
      )}
    </div>
  );
}

/** Links to the two verifications. */
function Names({ of }: { of: (Verification | undefined)[] }) {
  const { t } = useWords();
  const nameOf = useCaseName();
  return (
    <div className="compare-names">
      {of.map((verification, index) =>
        verification === undefined ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the first and the second may be one
          <Link key={index} href={`/verifications/${verification.id}`}>
            {t(index === 0 ? 'compare.first' : 'compare.second')} · {nameOf(verification)} {shortId(verification.id)}
          </Link>
        ),
      )}
    </div>
  );
}

const photoOf = ({ captures }: Verification, wanted: string | undefined): Capture | undefined =>
  wanted ? captures?.find(({ id }) => id === wanted) : captures?.find(({ image_url }) => image_url !== undefined);

function Choose({ a, b }: { a: string; b: string }) {
  const { t } = useWords();
  const [, goTo] = useLocation();
  const [left, setLeft] = useState(a);
  const [right, setRight] = useState(b);
  return (
    <form
      className="line-form"
      onSubmit={event => {
        event.preventDefault();
        goTo(`/compare?${new URLSearchParams({ a: left.trim(), b: right.trim() })}`, { replace: true });
      }}
    >
      {(
        [
          ['a', 'compare.first', left, setLeft],
          ['b', 'compare.second', right, setRight],
        ] as const
      ).map(([name, label, value, set]) => (
        <label key={name} className="field">
          <span className="label">{t(label)}</span>
          <input
            className="input"
            value={value}
            placeholder="vfy_…"
            spellCheck={false}
            onChange={event => set(event.target.value)}
          />
        </label>
      ))}
      <Button type="submit">{t('compare.show')}</Button>
    </form>
  );
}

function Facts({ rows }: { rows: Differing[] }) {
  const { t } = useWords();
  return (
    <Section title={t('compare.facts')}>
      {rows.length === 0 ? (
        <p className="soft small">{t('compare.same')}</p>
      ) : (
        <Table look="compare-facts" heads={[t('compare.fact'), t('compare.first'), t('compare.second')]}>
          {rows.map(({ key, label, first, second }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td>{first ?? '–'}</td>
              <td>{second ?? '–'}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
