import { Icon } from '@firsthand/look/marks.tsx';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { frameOf, type Photo } from '../camera/camera.ts';
import { shiftBetween } from '../camera/shift.ts';
import { type Grey, greyOf } from '../hints/picture.ts';
import { usePage } from '../page-context.ts';
import { Sheet } from './sheet.tsx';

/** Side of the second frame: large enough to match points, small enough for a slow connection. */
const FRAME_SIDE_PX = 1600;
/** Required movement of the picture, as a share of its width. */
const ENOUGH = 0.05;

/**
 * Takes the second frame for the depth signal. The guide fills as the picture moves. The frame is taken automatically after enough
 * movement, or with the button.
 */
export function MotionSheet(props: {
  video: { current: HTMLVideoElement | null };
  first: Photo;
  onDone: (frame: Blob | undefined) => void;
}): JSX.Element {
  const { t } = usePage();
  const [moved, setMoved] = useState(0);
  const done = useRef(false);

  const take = async () => {
    if (done.current || !props.video.current) return;
    done.current = true;
    navigator.vibrate?.(20);
    const frame = await frameOf(props.video.current, FRAME_SIDE_PX).catch(() => undefined);
    props.onDone(frame?.blob);
  };

  useEffect(() => {
    let first: Grey | undefined;
    const watch = setInterval(async () => {
      if (!props.video.current || done.current) return;
      const now = await greyOf(props.video.current, 96);
      first ??= now;
      if (!first || !now) return;
      const share = Math.abs(shiftBetween(first, now)) / now.width / ENOUGH;
      setMoved(Math.min(1, share));
      if (share >= 1) await take();
    }, 200);
    return () => clearInterval(watch);
  }, []);

  return (
    <Sheet title={t('motion.title')}>
      <div class="motion-guide" aria-hidden="true">
        <span class="motion-track">
          <span class="motion-fill" style={{ transform: `scaleX(${moved})` }} />
        </span>
        <Icon name="right" />
      </div>
      <p>{t('motion.text')}</p>
      <button type="button" class="button" onClick={take}>
        {t('motion.now')}
      </button>
      <button type="button" class="button plain" onClick={() => props.onDone(undefined)}>
        {t('motion.skip')}
      </button>
    </Sheet>
  );
}
