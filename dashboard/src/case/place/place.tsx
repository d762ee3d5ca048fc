import type { Capture } from '@firsthand/contract/verification/verification.ts';
import type { ReactNode } from 'react';
import { useWords } from '../../base/language.tsx';
import { type Plan, planOf } from './plan.ts';
import './place.css';

const SIDE = 240;

interface PlaceProps {
  capture: Capture;
  expected: string | undefined;
}

/** Where a photo was taken, drawn in metres: the device's circle, the expected place's, and what lies between. No map is asked. */
export function Place({ capture, expected }: PlaceProps) {
  const { t } = useWords();
  const plan = planOf(capture, expected);
  if (!plan) return <p className="soft small">{t(expected === undefined ? 'place.none' : 'place.noPosition')}</p>;
  return (
    <div className="place">
      <Drawing plan={plan} />
      <Facts capture={capture} expected={expected} plan={plan} />
    </div>
  );
}

/** Says a length in metres or kilometres. */
function useMetres(): (metres: number) => string {
  const { number } = useWords();
  return metres =>
    metres >= 1_000
      ? number(metres / 1_000, { style: 'unit', unit: 'kilometer', maximumFractionDigits: metres >= 10_000 ? 0 : 1 })
      : number(metres, { style: 'unit', unit: 'meter', maximumFractionDigits: 0 });
}

function Drawing({ plan }: { plan: Plan }) {
  const { t } = useWords();
  const metres = useMetres();
  const { expected, distance, middle, photo, bar } = plan;
  const scale = SIDE / 2 / plan.reach;
  const x = (east: number) => SIDE / 2 + (east - middle.x) * scale;
  const y = (north: number) => SIDE / 2 - (north - middle.y) * scale;
  const drawn =
    expected && distance !== null
      ? t('place.drawing', { distance: metres(distance), tolerance: metres(expected.tolerance) })
      : t('place.drawingAlone');
  return (
    <svg viewBox={`0 0 ${SIDE} ${SIDE}`} role="img" aria-label={drawn}>
      {expected && (
        <>
          <circle className="place-tolerance" cx={x(expected.x)} cy={y(expected.y)} r={expected.tolerance * scale} />
          <line className="place-way" x1={x(0)} y1={y(0)} x2={x(expected.x)} y2={y(expected.y)} />
          <path className="place-expected" d={`M${x(expected.x) - 5} ${y(expected.y)}h10m-5-5v10`} />
        </>
      )}
      <circle className="place-accuracy" cx={x(0)} cy={y(0)} r={Math.max(0, photo.accuracy * scale)} />
      <circle className="place-photo" cx={x(0)} cy={y(0)} r={4.5} />
      <path className="place-bar" d={`M10 ${SIDE - 14}v4h${bar * scale}v-4`} />
      <text x={10} y={SIDE - 18} className="place-text">
        {metres(bar)}
      </text>
      {(!expected || expected.directionKnown) && (
        <text x={SIDE - 14} y={18} textAnchor="middle" className="place-text">
          {t('place.north')} ↑
        </text>
      )}
    </svg>
  );
}

function Facts({ capture, expected, plan }: PlaceProps & { plan: Plan }) {
  const { t, number } = useWords();
  const metres = useMetres();
  const { location, location_match: match, location_source: sender } = capture;
  return (
    <dl className="measured place-facts">
      {match?.result && (
        <Fact name={t('place.result')} inWords>
          {t(`location.${match.result}`)}
        </Fact>
      )}
      {expected !== undefined && (
        <Fact name={t('place.expected')} sign="+" inWords>
          {expected}
        </Fact>
      )}
      {location && (
        <Fact name={t('place.device')} sign="●">
          {number(location.latitude, { maximumFractionDigits: 5 })},{' '}
          {number(location.longitude, { maximumFractionDigits: 5 })}
          {location.accuracy_m !== undefined && ` ± ${metres(location.accuracy_m)}`}
        </Fact>
      )}
      {sender && (
        <Fact name={t('place.sentBy')} inWords>
          {t(`sentBy.${sender}`)}
        </Fact>
      )}
      {match?.exif_distance_m !== undefined && <Fact name={t('place.inFile')}>{metres(match.exif_distance_m)}</Fact>}
      {plan.distance !== null && (
        <Fact name={t('place.distance')}>
          {metres(plan.distance)}
          {plan.expected && !plan.expected.directionKnown && ` · ${t('place.noDirection')}`}
        </Fact>
      )}
      {location?.simulated && (
        <Fact name={t('place.simulated')} inWords>
          {t('place.simulatedText')}
        </Fact>
      )}
    </dl>
  );
}

interface FactProps {
  name: string;
  /** Marks in the drawing what the fact is about. */
  sign?: '+' | '●';
  /** Words instead of numbers. */
  inWords?: boolean;
  children: ReactNode;
}

function Fact({ name, sign, inWords, children }: FactProps) {
  return (
    <div>
      <dt>
        {sign && (
          <>
            <span className={sign === '+' ? 'key-expected' : 'key-photo'} aria-hidden="true">
              {sign}
            </span>{' '}
          </>
        )}
        {name}
      </dt>
      <dd className={inWords ? 'words' : undefined}>{children}</dd>
    </div>
  );
}
