import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { planOf } from './plan.ts';
import './place.css';

const SIDE = 240;

/** Where a photo was taken, drawn in metres: the device's circle, the expected place's, and what lies between. No map is asked. */
export function Place({ capture, expected }: { capture: Capture; expected: string | undefined }) {
  const { t, number } = useWords();
  const plan = planOf(capture, expected);
  const result = capture.location_match?.result;
  const metres = (value: number) =>
    value >= 1_000
      ? number(value / 1_000, { style: 'unit', unit: 'kilometer', maximumFractionDigits: value >= 10_000 ? 0 : 1 })
      : number(value, { style: 'unit', unit: 'meter', maximumFractionDigits: 0 });
  if (!plan) return <p className="soft small">{t(expected === undefined ? 'place.none' : 'place.noPosition')}</p>;
  const { latitude, longitude, accuracy_m, simulated } = capture.location!;
  const scale = SIDE / 2 / plan.reach;
  const x = (east: number) => SIDE / 2 + (east - plan.middle.x) * scale;
  const y = (north: number) => SIDE / 2 - (north - plan.middle.y) * scale;
  const drawn = plan.expected
    ? t('place.drawing', { distance: metres(plan.distance!), tolerance: metres(plan.expected.tolerance) })
    : t('place.drawingAlone');
  return (
    <div className="place">
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} role="img" aria-label={drawn}>
        {plan.expected && (
          <>
            <circle
              className="place-tolerance"
              cx={x(plan.expected.x)}
              cy={y(plan.expected.y)}
              r={plan.expected.tolerance * scale}
            />
            <line className="place-way" x1={x(0)} y1={y(0)} x2={x(plan.expected.x)} y2={y(plan.expected.y)} />
            <path className="place-expected" d={`M${x(plan.expected.x) - 5} ${y(plan.expected.y)}h10m-5-5v10`} />
          </>
        )}
        <circle className="place-accuracy" cx={x(0)} cy={y(0)} r={Math.max(0, plan.photo.accuracy * scale)} />
        <circle className="place-photo" cx={x(0)} cy={y(0)} r={4.5} />
        <path className="place-bar" d={`M10 ${SIDE - 14}v4h${plan.bar * scale}v-4`} />
        <text x={10} y={SIDE - 18} className="place-text">
          {metres(plan.bar)}
        </text>
        {(!plan.expected || plan.expected.directionKnown) && (
          <text x={SIDE - 14} y={18} textAnchor="middle" className="place-text">
            {t('place.north')} ↑
          </text>
        )}
      </svg>
      <dl className="measured place-facts">
        {result && (
          <div>
            <dt>{t('place.result')}</dt>
            <dd className="words">{t(`location.${result}`)}</dd>
          </div>
        )}
        {expected !== undefined && (
          <div>
            <dt>
              <span className="key-expected" aria-hidden="true">
                +
              </span>{' '}
              {t('place.expected')}
            </dt>
            <dd className="words">{expected}</dd>
          </div>
        )}
        <div>
          <dt>
            <span className="key-photo" aria-hidden="true">
              ●
            </span>{' '}
            {t('place.device')}
          </dt>
          <dd>
            {number(latitude, { maximumFractionDigits: 5 })}, {number(longitude, { maximumFractionDigits: 5 })}
            {accuracy_m !== undefined && ` ± ${metres(accuracy_m)}`}
          </dd>
        </div>
        {capture.location_source && (
          <div>
            <dt>{t('place.sentBy')}</dt>
            <dd className="words">{t(`sentBy.${capture.location_source}`)}</dd>
          </div>
        )}
        {capture.location_match?.exif_distance_m !== undefined && (
          <div>
            <dt>{t('place.inFile')}</dt>
            <dd>{metres(capture.location_match.exif_distance_m)}</dd>
          </div>
        )}
        {plan.distance !== null && (
          <div>
            <dt>{t('place.distance')}</dt>
            <dd>
              {metres(plan.distance)}
              {plan.expected && !plan.expected.directionKnown && ` · ${t('place.noDirection')}`}
            </dd>
          </div>
        )}
        {simulated && (
          <div>
            <dt>{t('place.simulated')}</dt>
            <dd className="words">{t('place.simulatedText')}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}
