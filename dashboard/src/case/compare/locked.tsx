import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useEffect, useRef, useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Notice } from '../../base/parts/states.tsx';
import { paintSwipe } from '../photo/paint.ts';
import { loadPicture } from '../photo/pictures.ts';
import { useBlink } from '../photo/use-blink.ts';
import { useZoom } from '../photo/zoom.ts';
import { ZoomCanvas } from '../photo/zoom-canvas.tsx';

export type Way = 'side' | 'swipe' | 'blink';

/** Two photos under one view, in the pixels of the first; the second is drawn as wide and as high. */
export function Locked({ first, second, way }: { first: Capture; second: Capture; way: Way }) {
  const { t, number } = useWords();
  const canvases = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)] as const;
  const { zoom, scale } = useZoom(first);
  const { left, right, failed } = usePair(first, second);
  const [share, setShare] = useState(50);
  const secondNow = useBlink(way === 'blink' && way);
  return (
    <div className="locked">
      {failed && (
        <Notice look="failed" role="alert">
          {t('photo.unreadable')}
        </Notice>
      )}
      <div className="locked-photos" data-way={way}>
        <ZoomCanvas
          canvas={canvases[0]}
          zoom={zoom}
          label={t(way === 'side' ? 'compare.first' : 'compare.both')}
          paint={element =>
            paintSwipe(
              element,
              zoom,
              secondNow ? right : left,
              way === 'swipe' ? { image: right, from: share / 100 } : undefined,
            )
          }
        />
        {way === 'side' && (
          <ZoomCanvas
            canvas={canvases[1]}
            zoom={zoom}
            label={t('compare.second')}
            paint={element => paintSwipe(element, zoom, right, undefined)}
          />
        )}
      </div>
      <div className="toolbar">
        <Button slim aria-label={t('photo.out')} onPress={() => zoom.zoomOut()}>
          <Icon name="minus" />
        </Button>
        <span className="small">{number(scale, { style: 'percent', maximumFractionDigits: 0 })}</span>
        <Button slim aria-label={t('photo.in')} onPress={() => zoom.zoomIn()}>
          <Icon name="plus" />
        </Button>
        {way === 'swipe' && <Edge share={share} onShare={setShare} />}
        {way === 'blink' && <span className="soft small">{t(secondNow ? 'compare.second' : 'compare.first')}</span>}
      </div>
    </div>
  );
}

/** Moves the edge between the two photos; `share` is in percent of the width. */
function Edge({ share, onShare }: { share: number; onShare: (share: number) => void }) {
  const { t } = useWords();
  return (
    <label className="swipe">
      <span>{t('compare.edge')}</span>
      <input type="range" min={0} max={100} value={share} onChange={event => onShare(Number(event.target.value))} />
    </label>
  );
}

const urlOf = ({ preview_url, image_url }: Capture) => preview_url ?? image_url;

/** The decoded pictures of two captures, as they arrive. */
function usePair(first: Capture, second: Capture) {
  const [left, leftFailed] = usePicture(first);
  const [right, rightFailed] = usePicture(second);
  return { left, right, failed: leftFailed || rightFailed };
}

function usePicture(capture: Capture): [image: HTMLImageElement | undefined, failed: boolean] {
  const [image, setImage] = useState<HTMLImageElement>();
  const [failed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address changes with each read, the picture does not
  useEffect(() => {
    const url = urlOf(capture);
    if (url === undefined) setFailed(true);
    else loadPicture(url).then(setImage, () => setFailed(true));
  }, [capture.id]);
  return [image, failed];
}
