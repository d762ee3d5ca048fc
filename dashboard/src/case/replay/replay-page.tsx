import type { Replay } from '@firsthand/contract/reviews/reviews.ts';
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CaseLink } from '../../base/parts/case-link.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { Table } from '../../base/parts/shown.tsx';
import { Empty, Read } from '../../base/parts/states.tsx';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { STEPS, stepOf, thresholdAt } from './scale.ts';
import './replay.css';

type Thresholds = Replay['thresholds'];
/** A slider that moves asks once it rests. */
const REST_MS = 250;

/** Shows how other thresholds would have changed the last cases. People who may not change settings see the service's refusal. */
export default function ReplayPage() {
  const { livemode } = useSignedIn().tenant;
  const { t } = useWords();
  const [wanted, setWanted] = useState<Thresholds | null>(null);
  const [asked, setAsked] = useState<Thresholds | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), REST_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const query: Record<string, string> = asked
    ? { doubtful: String(asked.doubtful), confident: String(asked.confident) }
    : {};
  const replay = useRead(
    ['replay', livemode, query],
    'GET /v1/reviews/replay',
    { query },
    { placeholderData: keepPreviousData, staleTime: 60_000 },
  );
  return (
    <div className="wide tall">
      <TitleLine
        title={t('page.replay')}
        intro={t('replay.intro')}
        requests={[{ label: t('page.replay'), to: `GET /v1/reviews/replay?${new URLSearchParams(query)}` }]}
      />
      <Read query={replay}>
        {data =>
          data.cases === 0 ? (
            <Empty icon="eye" title={t('replay.none')}>
              <p>{t('replay.noneText')}</p>
            </Empty>
          ) : (
            <>
              <Section
                title={t('replay.thresholds')}
                intro={t('replay.how')}
                aside={
                  <Button slim isDisabled={wanted === null} onPress={() => setWanted(null)}>
                    {t('replay.inForce')}
                  </Button>
                }
              >
                <Sliders inForce={data.in_force} wanted={wanted ?? data.in_force} onWanted={setWanted} />
              </Section>
              <Flips replay={data} isStale={replay.isPlaceholderData || wanted !== asked} />
            </>
          )
        }
      </Read>
    </div>
  );
}

const BANDS = ['doubtful', 'confident'] as const;

interface SlidersProps {
  inForce: Thresholds;
  wanted: Thresholds;
  onWanted: (thresholds: Thresholds) => void;
}

function Sliders({ inForce, wanted, onWanted }: SlidersProps) {
  const { t, number } = useWords();
  const exact = (value: number) => number(value, { maximumFractionDigits: 5 });
  const move = (band: (typeof BANDS)[number], at: number) =>
    onWanted(
      band === 'doubtful'
        ? { doubtful: at, confident: Math.max(at, wanted.confident) }
        : { doubtful: Math.min(at, wanted.doubtful), confident: at },
    );
  return (
    <div className="sliders">
      {BANDS.map(band => (
        <label key={band} className={`slider ${band}`}>
          <span className="label">{t(`replay.${band}`)}</span>
          <input
            type="range"
            min={0}
            max={STEPS}
            value={stepOf(wanted[band])}
            aria-valuetext={exact(wanted[band])}
            onChange={event => move(band, thresholdAt(Number(event.target.value)))}
          />
          <output>{exact(wanted[band])}</output>
          <span className="soft small">{t('replay.now', { at: exact(inForce[band]) })}</span>
        </label>
      ))}
    </div>
  );
}

function Flips({ replay, isStale }: { replay: Replay; isStale: boolean }) {
  const { t, number } = useWords();
  const { exactly } = useMoments();
  const { cases, flips, by, verifications, since } = replay;
  return (
    <Section
      title={t('replay.flips', { n: flips, of: number(cases) })}
      intro={t('replay.since', { at: exactly(since!) })}
    >
      <p className="unseen" role="status">
        {!isStale && t('replay.flips', { n: flips, of: number(cases) })}
      </p>
      <div aria-busy={isStale} className={isStale ? 'replayed stack stale' : 'replayed stack'}>
        {flips === 0 && <p className="soft">{t('replay.noFlips')}</p>}
        {by.length > 0 && <FlipsByVerdict by={by} />}
        {verifications.length > 0 && (
          <ul className="flipped">
            {verifications.map(one => (
              <li key={one.id}>
                <CaseLink id={one.id} name={one.name} />
                <span>
                  {t(`verdict.${one.from}`)} → {t(`verdict.${one.to}`)}
                </span>
                <span className="soft">
                  {number(one.score, { minimumFractionDigits: 3, maximumFractionDigits: 3 })}
                </span>
                <span className="soft">{one.decision ? t(`decision.${one.decision}`) : ''}</span>
                <time className="soft" dateTime={one.created_at}>
                  {exactly(one.created_at)}
                </time>
              </li>
            ))}
          </ul>
        )}
        {verifications.length < flips && (
          <p className="soft small">{t('replay.more', { n: number(flips - verifications.length) })}</p>
        )}
      </div>
    </Section>
  );
}

/** How many cases go from one verdict to another, and how people decided them. */
function FlipsByVerdict({ by }: Pick<Replay, 'by'>) {
  const { t, number } = useWords();
  return (
    <Table
      label={t('replay.by')}
      heads={(['change', 'cases', 'approved', 'rejected'] as const).map(column => t(`replay.${column}`))}
    >
      {by.map(row => (
        <tr key={`${row.from} ${row.to}`}>
          <th scope="row">
            {t(`verdict.${row.from}`)} → {t(`verdict.${row.to}`)}
          </th>
          <td>{number(row.cases)}</td>
          <td>{number(row.approved)}</td>
          <td>{number(row.rejected)}</td>
        </tr>
      ))}
    </Table>
  );
}
