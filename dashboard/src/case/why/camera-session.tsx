import type { Presence, PresenceEvidence } from '@firsthand/contract/verification/presence.ts';
import { useWords } from '../../base/language.tsx';
import { Icon, type IconName } from '../../base/parts/icon.tsx';

const CHECKS = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'hand', 'light'] as const;
type Check = NonNullable<Presence['checks'][(typeof CHECKS)[number]]>;

const LOOK: Record<'passed' | 'failed' | 'silent', [IconName, string]> = {
  passed: ['check', 'verified'],
  failed: ['cross', 'failed'],
  silent: ['time', ''],
};
const stateOf = ({ evaluated, passed }: Check): keyof typeof LOOK =>
  !evaluated ? 'silent' : passed ? 'passed' : 'failed';

/** What became of the film that was asked for with a photo: each check, some frames, the way of the camera, and the noise of two crops. */
export function CameraSession({ presence }: { presence: Presence }) {
  const { t } = useWords();
  const { result, checks, words, evidence } = presence;
  const answered = CHECKS.flatMap(name => {
    const check = checks[name];
    return check ? [{ name, check }] : [];
  });
  return (
    <section className="session stack" aria-label={t('film.title')}>
      <h3>
        {t('film.title')}: {t(`film.result.${result}`)}
      </h3>
      {/* The service explains itself in English. */}
      {words !== undefined && (
        <p className="soft small" lang="en">
          {words}
        </p>
      )}
      <ul>
        {answered.map(({ name, check }) => {
          const [icon, meaning] = LOOK[stateOf(check)];
          return (
            <li key={name} className={`finding ${meaning}`}>
              <Icon name={icon} />
              <div>
                <h4>
                  {t(`film.check.${name}`)} <span className="soft small">{t(`film.state.${stateOf(check)}`)}</span>
                </h4>
                <p className="soft small" lang="en">
                  {check.words}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
      {evidence?.camera_signs?.map(sign => (
        <p key={sign} className="soft small">
          {t(`film.sign.${sign}`)}
        </p>
      ))}
      {evidence?.strip_url !== undefined && (
        <figure>
          <img className="frames" src={evidence.strip_url} alt={t('film.framesAlt')} loading="lazy" />
          <figcaption className="soft small">{t('film.frames')}</figcaption>
        </figure>
      )}
      {evidence && evidence.path.length > 1 && <Way evidence={evidence} />}
      {evidence?.noise?.before_url !== undefined && <Noise noise={evidence.noise} />}
    </section>
  );
}

const SIZE = 160;
const INSET = 14;
const STEP: Record<PresenceEvidence['moves_asked'][number], [x: number, y: number]> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};

interface Place {
  x: number;
  y: number;
}

/** Lays places into a square, as large as it can hold them. */
function fitted(places: readonly Place[]): Place[] {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const scale = (SIZE - 2 * INSET) / Math.max(width, height, 1e-6);
  const [dx, dy] = [(SIZE - width * scale) / 2, (SIZE - height * scale) / 2];
  return places.map(({ x, y }) => ({ x: (x - left) * scale + dx, y: (y - top) * scale + dy }));
}

const lineOf = (places: readonly Place[]): string =>
  places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

/** The moves that were asked for, beside the way that the camera went. A dot marks where each begins. */
function Way({ evidence: { moves_asked, path } }: { evidence: PresenceEvidence }) {
  const { t } = useWords();
  const asked: Place[] = [{ x: 0, y: 0 }];
  for (const move of moves_asked) {
    const { x, y } = asked.at(-1)!;
    asked.push({ x: x + STEP[move][0], y: y + STEP[move][1] });
  }
  const moves = moves_asked.map(move => t(`film.move.${move}`)).join(', ');
  const drawn = [
    { places: fitted(asked), name: t('film.asked', { moves }), key: 'asked' },
    { places: fitted(path), name: t('film.seen'), key: 'seen' },
  ].filter(({ key }) => key === 'seen' || moves_asked.length > 0);
  return (
    <div className="pairs">
      {drawn.map(({ places, name, key }) => (
        <figure key={key}>
          <svg className="way" viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={name}>
            <polyline points={lineOf(places)} />
            <circle cx={places[0]!.x} cy={places[0]!.y} r="4" />
          </svg>
          <figcaption className="soft small">{name}</figcaption>
        </figure>
      ))}
    </div>
  );
}

/** The noise of two crops laid on each other, as the sensor saw them and aligned by the scene. */
function Noise({ noise: { before, after, before_url, after_url } }: { noise: NonNullable<PresenceEvidence['noise']> }) {
  const { t, number } = useWords();
  const said = (value: number) => number(value, { maximumFractionDigits: 2 });
  const pictures = [
    { url: before_url, name: t('film.noiseBefore', { r: said(before) }) },
    { url: after_url, name: t('film.noiseAfter', { r: said(after) }) },
  ];
  return (
    <>
      <div className="pairs">
        {pictures.map(({ url, name }) => (
          <figure key={name}>
            <img className="noise" src={url} alt={name} loading="lazy" />
            <figcaption className="soft small">{name}</figcaption>
          </figure>
        ))}
      </div>
      <p className="soft small">{t('film.noise')}</p>
    </>
  );
}
