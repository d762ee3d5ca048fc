import {
  type KeyboardEvent,
  type PointerEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { loadPicture } from './pictures.ts';
import { fitScale, fitted, held, moved, type Size, type View, zoomed } from './view.ts';

export interface Shown extends Size {
  /** Shown first; enough for a picture that fits its box. */
  preview?: string | undefined;
  /** All pixels; loaded when a zoom shows more than the preview has. */
  full?: string | undefined;
  /** Laid over the photo, as wide and as high. */
  heat?: string | undefined;
  /** The frame that blinks with the photo. */
  second?: string | undefined;
}

/** A part of a picture; sides are shares of the picture's. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const NOTHING_LIT: readonly Part[] = [];

export interface ViewerHandle {
  /** Zooms to a part of the picture. */
  showPart: (part: Part) => void;
  /** Whole picture ↔ one pixel to a pixel of the screen. */
  toggleZoom: () => void;
  zoomBy: (factor: number) => void;
  focus: () => void;
}

const STEP = 1.6;
const PAN = 60;
const BLINK_MS = 700;
/** How much of the box a part fills that is zoomed to. */
const PART_FILLS = 0.5;
/** A whole picture at this scale or above is worth a step to two. */
const NEARLY_ONE = 0.75;
/** From this scale on, pixels are drawn as squares. */
const SQUARE_FROM = 3;

/** A photo that zooms to single pixels. It draws what is seen of it, so its cost does not depend on its size. */
export function Viewer({
  photo,
  label,
  heat = 0,
  blink = false,
  lit = NOTHING_LIT,
  wheel = 'zoomed',
  handle,
  onView,
}: {
  photo: Shown;
  label: string;
  /** How much of the heat map is seen, 0 to 1. */
  heat?: number;
  blink?: boolean;
  /** Parts to outline; the rest is dimmed. */
  lit?: readonly Part[];
  /** `always`: the wheel zooms. `zoomed`: it scrolls the page until the picture is zoomed in. */
  wheel?: 'always' | 'zoomed';
  handle?: Ref<ViewerHandle>;
  onView?: (view: View) => void;
}) {
  const { t, number } = useWords();
  const canvas = useRef<HTMLCanvasElement>(null);
  const at = useRef<{ view: View | null; box: Size; drawing: number }>({
    view: null,
    box: { width: 0, height: 0 },
    drawing: 0,
  });
  const pictures = useRef<{ [Name in 'preview' | 'full' | 'heat' | 'second']?: HTMLImageElement }>({});
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const [scale, setScale] = useState(0);
  const [failed, setFailed] = useState(false);
  const [secondNow, setSecondNow] = useState(false);
  const { width, height, preview, full, heat: heatUrl, second } = photo;
  const now = useRef({ heat, secondNow, lit, onView });
  now.current = { heat, secondNow, lit, onView };

  const draw = () => {
    at.current.drawing ||= requestAnimationFrame(() => {
      at.current.drawing = 0;
      const element = canvas.current;
      const { view, box } = at.current;
      if (!element || !view) return;
      paint(element, photo, view, box, pictures.current, now.current);
    });
  };
  const see = (view: View) => {
    at.current.view = view;
    setScale(view.scale);
    now.current.onView?.(view);
    const { preview: small, full: large } = pictures.current;
    const enough = small ? small.naturalWidth / width : 0;
    if (full && !large && view.scale * devicePixelRatio > enough * 1.05) {
      void loadPicture(full).then(
        image => {
          if (photo.full !== full) return;
          pictures.current.full = image;
          draw();
        },
        () => undefined,
      );
    }
    draw();
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: another photo starts anew; nothing else does
  useEffect(() => {
    let wanted = true;
    pictures.current = {};
    setFailed(false);
    const take = (name: keyof typeof pictures.current, url: string | undefined) =>
      url === undefined
        ? Promise.resolve()
        : loadPicture(url).then(image => {
            if (!wanted) return;
            pictures.current[name] = image;
            draw();
          });
    take(preview ? 'preview' : 'full', preview ?? full).catch(() => {
      if (!wanted) return;
      // A browser that cannot read the first one may read the other.
      take('full', full).catch(() => wanted && setFailed(true));
    });
    take('heat', heatUrl).catch(() => undefined);
    take('second', second).catch(() => undefined);
    if (at.current.box.width > 0) see(fitted(photo, at.current.box));
    return () => {
      wanted = false;
    };
  }, [preview, full, heatUrl, second, width, height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: draws what changed
  useEffect(draw, [heat, secondNow, lit]);

  useEffect(() => {
    setSecondNow(false);
    if (!blink || second === undefined) return undefined;
    const timer = setInterval(() => setSecondNow(was => !was), BLINK_MS);
    return () => clearInterval(timer);
  }, [blink, second]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the size of the box
  useEffect(() => {
    const element = canvas.current!;
    const observer = new ResizeObserver(([entry]) => {
      const box = { width: entry!.contentRect.width, height: entry!.contentRect.height };
      const { view, box: before } = at.current;
      at.current.box = box;
      if (box.width === 0 || box.height === 0) return;
      element.width = Math.round(box.width * devicePixelRatio);
      element.height = Math.round(box.height * devicePixelRatio);
      const whole = !view || view.scale <= fitScale(photo, before) * 1.001;
      see(whole ? fitted(photo, box) : held(view, photo, box));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [width, height]);

  const zoomBy = (factor: number, point = { x: 0, y: 0 }) => {
    const { view, box } = at.current;
    if (view) see(zoomed(view, factor, point, photo, box));
  };
  const isWhole = () => {
    const { view, box } = at.current;
    return !view || view.scale <= fitScale(photo, box) * 1.001;
  };
  const toggleZoom = (point = { x: 0, y: 0 }) => {
    const { view, box } = at.current;
    if (!view) return;
    if (isWhole()) zoomBy((view.scale < NEARLY_ONE ? 1 : 2) / view.scale, point);
    else see(fitted(photo, box));
  };
  const showPart = (part: Part) => {
    const { box } = at.current;
    const fit = Math.min(box.width / (part.width * width), box.height / (part.height * height)) * PART_FILLS;
    const middle = { x: (part.x + part.width / 2) * width, y: (part.y + part.height / 2) * height };
    see(held({ ...middle, scale: fit }, photo, box));
  };
  useImperativeHandle(handle, () => ({
    showPart,
    toggleZoom: () => toggleZoom(),
    zoomBy: factor => zoomBy(factor),
    focus: () => canvas.current?.focus(),
  }));

  // biome-ignore lint/correctness/useExhaustiveDependencies: the listener reads the present through refs
  useEffect(() => {
    const element = canvas.current!;
    // React's own wheel listener is passive: the page would scroll as well.
    const turned = (event: WheelEvent) => {
      if (wheel === 'zoomed' && !event.ctrlKey && isWhole()) return;
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), pointOf(element, event));
    };
    element.addEventListener('wheel', turned, { passive: false });
    return () => element.removeEventListener('wheel', turned);
  }, [wheel, width, height]);

  const drag = (event: PointerEvent<HTMLCanvasElement>) => {
    const all = pointers.current;
    const before = all.get(event.pointerId);
    if (!before || !at.current.view) return;
    const next = { x: event.clientX, y: event.clientY };
    const other = [...all].find(([id]) => id !== event.pointerId)?.[1];
    all.set(event.pointerId, next);
    if (other) {
      const apart = (p: { x: number; y: number }) => Math.hypot(p.x - other.x, p.y - other.y);
      zoomBy(
        apart(next) / Math.max(1, apart(before)),
        pointOf(event.currentTarget, { clientX: other.x, clientY: other.y }),
      );
    } else {
      see(moved(at.current.view, next.x - before.x, next.y - before.y, photo, at.current.box));
    }
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view, box } = at.current;
    if (!view) return;
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [PAN, 0],
      ArrowRight: [-PAN, 0],
      ArrowUp: [0, PAN],
      ArrowDown: [0, -PAN],
    };
    const pan = pans[event.key];
    if (pan && !isWhole()) see(moved(view, ...pan, photo, box));
    else if (event.key === '+' || event.key === '=') zoomBy(STEP);
    else if (event.key === '-') zoomBy(1 / STEP);
    else if (event.key === 'Home') see(fitted(photo, box));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="viewer">
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        tabIndex={0}
        onKeyDown={keys}
        onDoubleClick={event => toggleZoom(pointOf(event.currentTarget, event))}
        onPointerDown={event => {
          event.currentTarget.setPointerCapture(event.pointerId);
          pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
        }}
        onPointerMove={drag}
        onPointerUp={event => pointers.current.delete(event.pointerId)}
        onPointerCancel={event => pointers.current.delete(event.pointerId)}
      />
      {failed && (
        <p className="viewer-failed" role="alert">
          {t('photo.unreadable')} {full && <a href={full}>{t('photo.download')}</a>}
        </p>
      )}
      <div className="viewer-tools">
        <Button slim aria-label={t('photo.out')} onPress={() => zoomBy(1 / STEP)}>
          <Icon name="minus" />
        </Button>
        <Button slim onPress={() => toggleZoom()}>
          {number(scale, { style: 'percent', maximumFractionDigits: 0 })}
          <span className="unseen">{t('photo.toggle')}</span>
        </Button>
        <Button slim aria-label={t('photo.in')} onPress={() => zoomBy(STEP)}>
          <Icon name="plus" />
        </Button>
      </div>
    </div>
  );
}

/** A point of the screen as CSS pixels from the middle of an element. */
function pointOf(element: Element, { clientX, clientY }: { clientX: number; clientY: number }) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}

function paint(
  canvas: HTMLCanvasElement,
  photo: Size,
  view: View,
  box: Size,
  pictures: { preview?: HTMLImageElement; full?: HTMLImageElement; heat?: HTMLImageElement; second?: HTMLImageElement },
  { heat, secondNow, lit }: { heat: number; secondNow: boolean; lit: readonly Part[] },
): void {
  const context = canvas.getContext('2d')!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.scale(canvas.width / box.width, canvas.height / box.height);
  context.translate(box.width / 2 - view.x * view.scale, box.height / 2 - view.y * view.scale);
  context.imageSmoothingEnabled = view.scale < SQUARE_FROM;
  context.imageSmoothingQuality = 'high';
  const layer = (image: HTMLImageElement | undefined, alpha: number) => {
    if (!image || alpha <= 0) return;
    context.globalAlpha = alpha;
    context.drawImage(image, 0, 0, photo.width * view.scale, photo.height * view.scale);
    context.globalAlpha = 1;
  };
  layer(secondNow ? pictures.second : (pictures.full ?? pictures.preview), 1);
  context.imageSmoothingEnabled = true;
  layer(pictures.heat, heat);
  if (lit.length > 0) outline(context, lit, photo.width * view.scale, photo.height * view.scale);
}

/** Dims the picture but for these parts, and draws a light line with a dark one around each, so that it shows on any photo. */
function outline(context: CanvasRenderingContext2D, parts: readonly Part[], width: number, height: number): void {
  const path = new Path2D();
  for (const part of parts) path.rect(part.x * width, part.y * height, part.width * width, part.height * height);
  const around = new Path2D();
  around.rect(0, 0, width, height);
  around.addPath(path);
  context.fillStyle = 'rgb(0 0 0 / 45%)';
  context.fill(around, 'evenodd');
  for (const [colour, line] of [
    ['#000', 5],
    ['#ffd23f', 2.5],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.stroke(path);
  }
}
