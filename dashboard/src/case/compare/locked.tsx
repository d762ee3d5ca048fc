import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { loadPicture } from '../photo/pictures.ts';
import { fitted, held, moved, type Size, type View, zoomed } from '../photo/view.ts';

export type Way = 'side' | 'swipe' | 'blink';

const STEP = 1.6;
const PAN = 60;
const BLINK_MS = 700;
/** From this scale on, pixels are drawn as squares. */
const SQUARE_FROM = 3;

const urlOf = ({ preview_url, image_url }: Capture) => preview_url ?? image_url;

/** Two photos under one view, in the pixels of the first; the second is drawn as wide and as high. */
export function Locked({ first, second, way }: { first: Capture; second: Capture; way: Way }) {
  const { t, number } = useWords();
  const canvases = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)] as const;
  const pictures = useRef<[HTMLImageElement?, HTMLImageElement?]>([]);
  const view = useRef<View | null>(null);
  const box = useRef<Size>({ width: 0, height: 0 });
  const pointer = useRef<{ x: number; y: number } | null>(null);
  const [scale, setScale] = useState(0);
  const [share, setShare] = useState(50);
  const [secondNow, setSecondNow] = useState(false);
  const [failed, setFailed] = useState(false);
  const size: Size = { width: first.width, height: first.height };
  const shown = useRef({ way, share, secondNow });
  shown.current = { way, share, secondNow };

  const draw = () => {
    const at = view.current;
    if (!at) return;
    const { way: how, share: part, secondNow: blinked } = shown.current;
    const [left, right] = pictures.current;
    for (const [index, canvas] of canvases.entries()) {
      const element = canvas.current;
      if (!element) continue;
      const base = index === 1 || (how === 'blink' && blinked) ? right : left;
      paint(element, size, at, box.current, [
        { image: base, from: 0 },
        ...(how === 'swipe' ? [{ image: right, from: part / 100 }] : []),
      ]);
    }
  };
  const see = (next: View) => {
    view.current = next;
    setScale(next.scale);
    requestAnimationFrame(draw);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: other photos start anew; nothing else does
  useEffect(() => {
    for (const [index, capture] of [first, second].entries()) {
      const url = urlOf(capture);
      if (url === undefined) {
        setFailed(true);
        continue;
      }
      loadPicture(url).then(
        image => {
          pictures.current[index] = image;
          draw();
        },
        () => setFailed(true),
      );
    }
  }, [first.id, second.id]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: draws what changed
  useEffect(draw, [share, secondNow, way]);

  useEffect(() => {
    setSecondNow(false);
    if (way !== 'blink') return undefined;
    const timer = setInterval(() => setSecondNow(was => !was), BLINK_MS);
    return () => clearInterval(timer);
  }, [way]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the size of the first canvas
  useEffect(() => {
    const element = canvases[0].current!;
    const measure = () => {
      const { width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0) return;
      box.current = { width, height };
      for (const { current } of canvases) {
        if (!current) continue;
        current.width = Math.round(width * devicePixelRatio);
        current.height = Math.round(height * devicePixelRatio);
      }
      see(view.current ? held(view.current, size, box.current) : fitted(size, box.current));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // React's own wheel listener is passive: the page would scroll as well.
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect();
      zoomBy(Math.exp(-event.deltaY * 0.002), {
        x: event.clientX - left - width / 2,
        y: event.clientY - top - height / 2,
      });
    };
    const there = canvases.flatMap(({ current }) => (current ? [current] : []));
    for (const canvas of there) canvas.addEventListener('wheel', turned, { passive: false });
    return () => {
      observer.disconnect();
      for (const canvas of there) canvas.removeEventListener('wheel', turned);
    };
  }, [way, first.id]);

  const zoomBy = (factor: number, point = { x: 0, y: 0 }) => {
    if (view.current) see(zoomed(view.current, factor, point, size, box.current));
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !view.current) return;
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [PAN, 0],
      ArrowRight: [-PAN, 0],
      ArrowUp: [0, PAN],
      ArrowDown: [0, -PAN],
    };
    const pan = pans[event.key];
    if (pan) see(moved(view.current, ...pan, size, box.current));
    else if (event.key === '+' || event.key === '=') zoomBy(STEP);
    else if (event.key === '-') zoomBy(1 / STEP);
    else if (event.key === 'Home') see(fitted(size, box.current));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const drag = (event: PointerEvent) => {
    const before = pointer.current;
    if (!before || !view.current) return;
    pointer.current = { x: event.clientX, y: event.clientY };
    see(moved(view.current, event.clientX - before.x, event.clientY - before.y, size, box.current));
  };
  const canvas = (ref: RefObject<HTMLCanvasElement | null>, label: string) => (
    <canvas
      ref={ref}
      role="img"
      aria-label={label}
      tabIndex={0}
      onKeyDown={keys}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pointer.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        pointer.current = null;
      }}
      onPointerCancel={() => {
        pointer.current = null;
      }}
    />
  );
  return (
    <div className="locked">
      {failed && (
        <p className="notice failed" role="alert">
          {t('photo.unreadable')}
        </p>
      )}
      <div className="locked-photos" data-way={way}>
        {canvas(canvases[0], t(way === 'side' ? 'compare.first' : 'compare.both'))}
        {way === 'side' && canvas(canvases[1], t('compare.second'))}
      </div>
      <div className="toolbar">
        <Button slim aria-label={t('photo.out')} onPress={() => zoomBy(1 / STEP)}>
          <Icon name="minus" />
        </Button>
        <span className="small">{number(scale, { style: 'percent', maximumFractionDigits: 0 })}</span>
        <Button slim aria-label={t('photo.in')} onPress={() => zoomBy(STEP)}>
          <Icon name="plus" />
        </Button>
        {way === 'swipe' && (
          <label className="swipe">
            <span>{t('compare.edge')}</span>
            <input
              type="range"
              min={0}
              max={100}
              value={share}
              onChange={event => setShare(Number(event.target.value))}
            />
          </label>
        )}
        {way === 'blink' && <span className="soft small">{t(secondNow ? 'compare.second' : 'compare.first')}</span>}
      </div>
    </div>
  );
}

/** Draws layers from a share of the width to the right. */
function paint(
  canvas: HTMLCanvasElement,
  photo: Size,
  view: View,
  box: Size,
  layers: readonly { image: HTMLImageElement | undefined; from: number }[],
): void {
  const context = canvas.getContext('2d')!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  for (const { image, from } of layers) {
    if (!image) continue;
    context.save();
    context.beginPath();
    context.rect(canvas.width * from, 0, canvas.width, canvas.height);
    context.clip();
    context.scale(canvas.width / box.width, canvas.height / box.height);
    context.translate(box.width / 2 - view.x * view.scale, box.height / 2 - view.y * view.scale);
    context.imageSmoothingEnabled = view.scale < SQUARE_FROM;
    context.drawImage(image, 0, 0, photo.width * view.scale, photo.height * view.scale);
    context.restore();
    if (from > 0) {
      context.fillStyle = getComputedStyle(canvas).getPropertyValue('--accent');
      context.fillRect(canvas.width * from - 1, 0, 2, canvas.height);
    }
  }
}
