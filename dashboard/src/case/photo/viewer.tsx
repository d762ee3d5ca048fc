import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { paintPhoto } from './paint.ts';
import { useBlink } from './use-blink.ts';
import { namesOf, type Shown, usePictures } from './use-pictures.ts';
import type { Part } from './view.ts';
import { useZoom, type Zoom } from './zoom.ts';
import { ZoomCanvas } from './zoom-canvas.tsx';

export const NOTHING_LIT: readonly Part[] = [];

export interface ViewerHandle {
  /** Zooms to a part of the picture. */
  showPart: (part: Part) => void;
  /** Whole picture ↔ one pixel to a pixel of the display. */
  toggleZoom: () => void;
  focus: () => void;
}

interface ViewerProps {
  photo: Shown;
  label: string;
  /** How much of the heat map is seen, 0 to 1. */
  heat?: number;
  blink?: boolean;
  /** Parts to outline; the rest is dimmed. */
  lit?: readonly Part[];
  wheel?: 'always' | 'zoomed';
  handle?: Ref<ViewerHandle>;
}

/** A photo that zooms to single pixels. It draws what is seen of it, so its cost does not depend on its size. */
export function Viewer({
  photo,
  label,
  heat = 0,
  blink = false,
  lit = NOTHING_LIT,
  wheel = 'zoomed',
  handle,
}: ViewerProps) {
  const { t } = useWords();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { zoom, scale } = useZoom(photo);
  const { pictures, failed } = usePictures(photo, scale);
  const secondNow = useBlink(blink && photo.second);
  const { width, height, full } = photo;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another photo is shown whole
  useEffect(() => zoom.fit(), [zoom, width, height, namesOf(photo)]);
  useImperativeHandle(
    handle,
    () => ({
      showPart: part => zoom.showPart(part),
      toggleZoom: () => zoom.toggle(),
      focus: () => canvas.current?.focus(),
    }),
    [zoom],
  );
  return (
    <div className="viewer">
      <ZoomCanvas
        canvas={canvas}
        zoom={zoom}
        label={label}
        wheel={wheel}
        paint={element => paintPhoto(element, zoom, { pictures, heat, secondNow, lit })}
      />
      {failed && (
        <p className="viewer-failed" role="alert">
          {t('photo.unreadable')} {full && <a href={full}>{t('photo.download')}</a>}
        </p>
      )}
      <ViewerTools zoom={zoom} scale={scale} />
    </div>
  );
}

function ViewerTools({ zoom, scale }: { zoom: Zoom; scale: number }) {
  const { t, number } = useWords();
  return (
    <div className="viewer-tools">
      <Button slim aria-label={t('photo.out')} onPress={() => zoom.zoomOut()}>
        <Icon name="minus" />
      </Button>
      <Button slim onPress={() => zoom.toggle()}>
        {number(scale, { style: 'percent', maximumFractionDigits: 0 })}
        <span className="unseen">{t('photo.toggle')}</span>
      </Button>
      <Button slim aria-label={t('photo.in')} onPress={() => zoom.zoomIn()}>
        <Icon name="plus" />
      </Button>
    </div>
  );
}
