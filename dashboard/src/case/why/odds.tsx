import type { Odds as OddsOf, SignalExplanation } from '@firsthand/contract/verification/explanation.ts';
import { useWords } from '../../base/language.tsx';
import type { Part } from '../photo/view.ts';

/** The axis ends at one genuine photo in a thousand. */
const DECADES = 3;
const WIDTH = 240;
const INSET = 8;

/** How far to the right a score lies: one decade of rarity among genuine photos to a third of the width. */
function rarityOf({ pictures, as_high }: OddsOf): number {
  return Math.min(1, Math.log10((pictures + 1) / (as_high + 1)) / DECADES);
}

interface OddsProps {
  explained: SignalExplanation;
  onLight: (parts: readonly Part[]) => void;
  onShow: (part: Part) => void;
}

/** How rare a score is among genuine photos, where the thresholds lie, which parts of the photo say so, and how good the detector is. */
export function Odds({ explained, onLight, onShow }: OddsProps) {
  const { t, number } = useWords();
  const { odds, no_odds, thresholds, published, tiles = [] } = explained;
  const said = odds && {
    n: number(odds.one_in),
    pictures: number(odds.pictures),
  };
  return (
    <>
      {said && odds && (
        <p className="odds">
          {odds.as_high === 0
            ? t('odds.none', said)
            : odds.one_in === 1
              ? t('odds.usual', said)
              : t('odds.oneIn', said)}
        </p>
      )}
      {no_odds && no_odds !== 'not_evaluated' && <p className="soft small">{t(`odds.no.${no_odds}`)}</p>}
      {odds && thresholds && <Axis odds={odds} thresholds={thresholds} />}
      {tiles.length > 0 && <Tiles tiles={tiles} onLight={onLight} onShow={onShow} />}
      {published && <Published rates={published} />}
    </>
  );
}

/** One button for each part of the photo that the detector flagged, and one for all. */
function Tiles({
  tiles,
  onLight,
  onShow,
}: { tiles: NonNullable<SignalExplanation['tiles']> } & Omit<OddsProps, 'explained'>) {
  const { t, number } = useWords();
  const percent = (share: number) => number(share, { style: 'percent', maximumFractionDigits: 1 });
  const lights = (parts: readonly Part[]) => ({
    onPointerEnter: () => onLight(parts),
    onFocus: () => onLight(parts),
    onBlur: () => onLight([]),
  });
  return (
    <fieldset className="tiles" onPointerLeave={() => onLight([])}>
      <legend className="small">{t('odds.tiles', { n: tiles.length })}</legend>
      {tiles.map((tile, index) => (
        <button
          key={`${tile.x} ${tile.y} ${tile.width}`}
          type="button"
          className="tile"
          aria-label={t('odds.tile', { n: index + 1, strength: percent(tile.strength) })}
          {...lights([tile])}
          onClick={() => onShow(tile)}
        >
          {index + 1}
        </button>
      ))}
      <button type="button" className="tile" {...lights(tiles)}>
        {t('odds.allTiles')}
      </button>
    </fieldset>
  );
}

/** How often the detector is wrong about genuine photos, and how often it finds what it looks for. */
function Published({ rates }: { rates: NonNullable<SignalExplanation['published']> }) {
  const { t, number } = useWords();
  const percent = (share: number) => number(share, { style: 'percent', maximumFractionDigits: 1 });
  const { flagged, at_most, found } = rates;
  const counts = found && { found: number(found.count), of: number(found.of) };
  return (
    <p className="soft small">
      {t('odds.published', { flagged: number(flagged.count), genuine: number(flagged.of), most: percent(at_most) })}
      {counts &&
        ` ${found.at_least === undefined ? t('odds.found', counts) : t('odds.foundLeast', { ...counts, least: percent(found.at_least) })}`}
    </p>
  );
}

/** Rarity among genuine photos, in decades: the score between the two thresholds. */
function Axis({ odds, thresholds }: { odds: OddsOf; thresholds: NonNullable<SignalExplanation['thresholds']> }) {
  const { t, number } = useWords();
  const x = (share: number) => INSET + share * (WIDTH - 2 * INSET);
  const score = x(rarityOf(odds));
  const marks = (['doubtful', 'confident'] as const).flatMap(band => {
    const { at, odds: rarity } = thresholds[band];
    return rarity ? [{ band, at, rarity, x: x(rarityOf(rarity)) }] : [];
  });
  const label = [
    t('odds.axis', { n: number(odds.one_in) }),
    ...marks.map(({ band, at, rarity }) =>
      t(`odds.${band}`, { at: number(at, { maximumFractionDigits: 5 }), n: number(rarity.one_in) }),
    ),
  ].join(' ');
  return (
    <svg className="axis" viewBox={`0 0 ${WIDTH} 46`} role="img" aria-label={label}>
      <line className="axis-way" x1={x(0)} x2={x(1)} y1="20" y2="20" />
      {[0, 1, 2, 3].map(decade => (
        <g key={decade}>
          <line className="axis-way" x1={x(decade / DECADES)} x2={x(decade / DECADES)} y1="17" y2="23" />
          <text
            x={x(decade / DECADES)}
            y="36"
            textAnchor={decade === 0 ? 'start' : decade === DECADES ? 'end' : 'middle'}
          >
            {decade === 0 ? t('odds.each') : t('odds.tick', { n: number(10 ** decade) })}
          </text>
        </g>
      ))}
      {marks.map(({ band, x: at }) => (
        <path key={band} className={`axis-${band}`} d={`M${at} 6v14m-4-14h8l-4 6z`} />
      ))}
      <circle className="axis-score" cx={score} cy="20" r="5" />
    </svg>
  );
}
