import { Icon } from '@firsthand/look/marks.tsx';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Photo } from '../camera/camera.ts';
import { isBelow } from '../files.ts';
import type { Hint } from '../hints/hint.ts';
import { hintsOf } from '../hints/hints.ts';
import { usePage } from '../page-context.ts';
import { Press, useScreen } from './parts.tsx';

/** Returns an object URL for a blob while the component is mounted. */
export function useObjectUrl(blob: Blob): string {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

type Props = {
  photo: Photo;
  title: string;
  kicker: string;
  busy: boolean;
  /** Pixels that the step asks for on the long side. */
  least: number | undefined;
  onRetake: () => void;
  onUse: () => void;
};

/** Shows the photo at full size, hints about problems, and two buttons: retake or use. Hints never block; the least size of the step does. */
export function Review({ photo, title, kicker, busy, least, onRetake, onUse }: Props): JSX.Element {
  const { t, number } = usePage();
  const heading = useScreen(t('review.title'));
  const refused = isBelow(photo, least);
  return (
    <div class="review" data-screen="review">
      <main>
        <div class="review-top">
          {kicker && <p class="kicker">{kicker}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {t('review.title')}
          </h1>
          <p class="review-step">
            <bdi>{title}</bdi>
          </p>
        </div>
        <Picture photo={photo} />
        <div class="review-bottom stack">
          {refused && (
            <p class="fault" role="alert">
              {t('file.least', { n: number(least!) })}
            </p>
          )}
          <Hints photo={photo} />
          <div class="pair">
            <Press look="quiet" onClick={onRetake} disabled={busy}>
              {t('review.retake')}
            </Press>
            {!refused && (
              <Press onClick={onUse} aria-disabled={busy}>
                {t('review.use')}
              </Press>
            )}
          </div>
        </div>
      </main>
    </div>
  );
}

/** The photo, and a button that zooms to its pixels. */
function Picture({ photo }: { photo: Photo }): JSX.Element {
  const { t } = usePage();
  const url = useObjectUrl(photo.blob);
  const [close, setClose] = useState(false);
  const [undecodable, setUndecodable] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Zooming starts in the middle, where the requested object should be.
    const box = frame.current;
    if (close && box) box.scrollTo((box.scrollWidth - box.clientWidth) / 2, (box.scrollHeight - box.clientHeight) / 2);
  }, [close]);
  return (
    <>
      <div ref={frame} class={`review-photo ${close ? 'close' : ''}`}>
        {url &&
          (undecodable ? (
            <Icon name="gallery" />
          ) : (
            <img src={url} alt={t('review.alt')} onError={() => setUndecodable(true)} />
          ))}
      </div>
      {!undecodable && (
        <button
          type="button"
          class="round dark zoom"
          aria-pressed={close}
          aria-label={t(close ? 'review.zoomOut' : 'review.zoomIn')}
          onClick={() => setClose(!close)}
        >
          <Icon name="zoom" />
        </button>
      )}
    </>
  );
}

function Hints({ photo: { blob } }: { photo: Photo }): JSX.Element {
  const { t } = usePage();
  const [hints, setHints] = useState<Hint[]>([]);
  useEffect(() => {
    let shown = true;
    hintsOf(blob).then(found => shown && setHints(found));
    return () => {
      shown = false;
    };
  }, [blob]);
  return (
    <div class="hints" role="status">
      {hints.map(hint => (
        <p key={hint} class="hint">
          <Icon name="doubt" />
          {t(`hint.${hint}`)}
        </p>
      ))}
    </div>
  );
}
