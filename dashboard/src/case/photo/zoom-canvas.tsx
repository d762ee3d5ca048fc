import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { Point } from './view.ts';
import type { Zoom } from './zoom.ts';

interface ZoomCanvasProps {
  canvas: RefObject<HTMLCanvasElement | null>;
  zoom: Zoom;
  label: string;
  paint: (canvas: HTMLCanvasElement) => void;
  /** `always`: the wheel zooms. `zoomed`: it scrolls the page until the picture is zoomed in. */
  wheel?: 'always' | 'zoomed';
}

/** A canvas that keys, wheel, drags and two fingers zoom and move. It is painted after each change of the view and each render. */
export function ZoomCanvas({ canvas, zoom, label, paint, wheel = 'always' }: ZoomCanvasProps) {
  usePainting(canvas, zoom, paint);
  useBox(canvas, zoom);
  useWheel(canvas, zoom, wheel);
  const drag = useDrag(zoom);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !zoom.press(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      tabIndex={0}
      onKeyDown={press}
      onDoubleClick={event => zoom.toggle(pointOf(event.currentTarget, event.clientX, event.clientY))}
      {...drag}
    />
  );
}

/** Paints at most once per frame. */
function usePainting(
  canvas: RefObject<HTMLCanvasElement | null>,
  zoom: Zoom,
  paint: (canvas: HTMLCanvasElement) => void,
): void {
  const frame = useRef(0);
  const latest = useRef(paint);
  latest.current = paint;
  const schedule = useRef(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      if (canvas.current && zoom.view) latest.current(canvas.current);
    });
  });
  useEffect(() => schedule.current());
  useEffect(() => zoom.listen(schedule.current), [zoom]);
}

/** Keeps the pixels of the canvas and the box of the zoom at the size of the element. */
function useBox(canvas: RefObject<HTMLCanvasElement | null>, zoom: Zoom): void {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      if (width > 0 && height > 0) {
        element.width = Math.round(width * devicePixelRatio);
        element.height = Math.round(height * devicePixelRatio);
      }
      zoom.resize({ width, height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas, zoom]);
}

/** Zooms by the wheel. React's own wheel listener is passive: the page would scroll as well. */
function useWheel(canvas: RefObject<HTMLCanvasElement | null>, zoom: Zoom, wheel: 'always' | 'zoomed'): void {
  useEffect(() => {
    const element = canvas.current;
    const turned = (event: WheelEvent) => {
      if (!element || (wheel === 'zoomed' && !event.ctrlKey && zoom.isWhole)) return;
      event.preventDefault();
      // A browser reports two fingers on a touchpad as a wheel with Ctrl, in smaller steps.
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002));
      zoom.zoomBy(factor, pointOf(element, event.clientX, event.clientY));
    };
    element?.addEventListener('wheel', turned, { passive: false });
    return () => element?.removeEventListener('wheel', turned);
  }, [canvas, zoom, wheel]);
}

/** One pointer moves the picture, two zoom it about the one that rests. */
function useDrag(zoom: Zoom) {
  const pointers = useRef(new Map<number, Point>()).current;
  const release = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove: (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const next = { x: event.clientX, y: event.clientY };
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, next);
      if (!other) return zoom.moveBy(next.x - before.x, next.y - before.y);
      const apart = ({ x, y }: Point) => Math.hypot(x - other.x, y - other.y);
      zoom.zoomBy(apart(next) / Math.max(1, apart(before)), pointOf(event.currentTarget, other.x, other.y));
    },
    onPointerUp: release,
    onPointerCancel: release,
  };
}

/** A point of the display as CSS pixels from the middle of an element. */
function pointOf(element: Element, x: number, y: number): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: x - left - width / 2, y: y - top - height / 2 };
}
