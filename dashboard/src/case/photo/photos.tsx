import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { bandOf } from '../why/findings.ts';
import type { PhotoView } from './use-photo-view.ts';
import type { Shown } from './use-pictures.ts';
import { Viewer } from './viewer.tsx';
import './photo.css';

/** The parts of a capture that the viewer shows. */
function shownOf(capture: Capture): Shown {
  const screen = capture.signals?.screen_detection as { heatmap_url?: string } | undefined;
  return {
    width: capture.width,
    height: capture.height,
    preview: capture.preview_url,
    full: capture.display_url ?? capture.image_url,
    heat: screen?.heatmap_url,
    second: capture.second_frame_url,
  };
}

interface PhotosProps {
  captures: readonly Capture[];
  view: PhotoView;
  wheel?: 'always' | 'zoomed';
}

/** The photos of a case: one large, the others as a strip. */
export function Photos({ captures, view, wheel = 'zoomed' }: PhotosProps) {
  const { t } = useWords();
  const { at, capture, heat, blink, lit, viewer } = view;
  if (!capture) return null;
  const photo = shownOf(capture);
  const name = t('photo.name', { n: at + 1, of: captures.length, step: capture.step_key });
  return (
    <div className="photos stack">
      <Viewer
        key={capture.id}
        photo={photo}
        label={name}
        heat={heat}
        blink={blink}
        lit={lit}
        wheel={wheel}
        handle={viewer}
      />
      <div className="photo-tools toolbar">
        <span className="soft">
          {name} · {t('photo.size', { width: String(capture.width), height: String(capture.height) })} ·{' '}
          {t(`source.${capture.source}`)}
        </span>
        {photo.second && (
          <Button slim aria-pressed={blink} onPress={view.toggleBlink}>
            <Icon name="eye" />
            {t(blink ? 'photo.blinkOff' : 'photo.blinkOn')}
          </Button>
        )}
        {photo.heat && <HeatTools view={view} />}
      </div>
      {captures.length > 1 && <Strip captures={captures} view={view} />}
    </div>
  );
}

/** Switches the heat map, and sets how much of it is seen. */
function HeatTools({ view: { heat, setHeat, toggleHeat } }: { view: PhotoView }) {
  const { t, number } = useWords();
  return (
    <>
      <Button slim aria-pressed={heat > 0} onPress={toggleHeat}>
        <Icon name="layers" />
        {t(heat > 0 ? 'photo.heatOff' : 'photo.heatOn')}
      </Button>
      <label className="opacity">
        <span className="unseen">{t('photo.opacity')}</span>
        <input
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={heat}
          aria-valuetext={number(heat, { style: 'percent' })}
          onChange={event => setHeat(Number(event.target.value))}
        />
      </label>
    </>
  );
}

/** The photos as small pictures, each with a sign where a detector flagged it. */
function Strip({ captures, view }: { captures: readonly Capture[]; view: PhotoView }) {
  const { t } = useWords();
  return (
    <div className="strip">
      {captures.map((one, index) => {
        const band = bandOf(one);
        return (
          <button
            key={one.id}
            type="button"
            className="thumb"
            aria-pressed={index === view.at}
            aria-label={t('photo.name', { n: index + 1, of: captures.length, step: one.step_key })}
            onClick={() => view.choose(index)}
          >
            {one.preview_url && <img src={one.preview_url} alt="" loading="lazy" />}
            {band !== 'clear' && (
              <span className={band === 'confident' ? 'failed' : 'doubtful'}>
                <Icon name={band === 'confident' ? 'cross' : 'doubt'} />
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
