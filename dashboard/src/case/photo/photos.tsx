import type { Capture } from '@firsthand/contract/verification/verification.ts';
import type { Ref } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { bandOf } from '../why/findings.ts';
import { type Part, type Shown, Viewer, type ViewerHandle } from './viewer.tsx';
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

/** The photos of a case: one large, the others as a strip. */
export function Photos({
  captures,
  at,
  onAt,
  heat,
  onHeat,
  blink,
  onBlink,
  lit,
  wheel,
  handle,
}: {
  captures: readonly Capture[];
  at: number;
  onAt: (index: number) => void;
  heat: number;
  onHeat: (opacity: number) => void;
  /** Whether the photo and its second frame take turns. */
  blink: boolean;
  onBlink: (on: boolean) => void;
  /** The parts that the why-panel points at. */
  lit?: readonly Part[];
  wheel?: 'always' | 'zoomed';
  handle?: Ref<ViewerHandle>;
}) {
  const { t, number } = useWords();
  const capture = captures[at];
  if (!capture) return null;
  const photo = shownOf(capture);
  const name = t('photo.name', { n: at + 1, of: captures.length, step: capture.step_key });
  return (
    <div className="photos">
      <Viewer
        key={capture.id}
        photo={photo}
        label={name}
        heat={heat}
        blink={blink}
        {...(lit ? { lit } : {})}
        {...(wheel ? { wheel } : {})}
        {...(handle ? { handle } : {})}
      />
      <div className="photo-tools">
        <span className="soft">
          {name} · {t('photo.size', { width: String(capture.width), height: String(capture.height) })} ·{' '}
          {t(`source.${capture.source}`)}
        </span>
        {photo.second && (
          <Button slim aria-pressed={blink} onPress={() => onBlink(!blink)}>
            <Icon name="eye" />
            {t(blink ? 'photo.blinkOff' : 'photo.blinkOn')}
          </Button>
        )}
        {photo.heat && (
          <>
            <Button slim aria-pressed={heat > 0} onPress={() => onHeat(heat > 0 ? 0 : 0.7)}>
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
                onChange={event => onHeat(Number(event.target.value))}
              />
            </label>
          </>
        )}
      </div>
      {captures.length > 1 && (
        <div className="strip">
          {captures.map((one, index) => {
            const band = bandOf(one);
            return (
              <button
                key={one.id}
                type="button"
                className="thumb"
                aria-pressed={index === at}
                aria-label={t('photo.name', { n: index + 1, of: captures.length, step: one.step_key })}
                onClick={() => onAt(index)}
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
      )}
    </div>
  );
}
