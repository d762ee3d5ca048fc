import { useEffect, useState } from 'react';
import { loadPicture, nameOf } from './pictures.ts';
import type { Size } from './view.ts';

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

/** The names of a photo's pictures: what an effect depends on that starts anew for another photo. */
export const namesOf = ({ preview, full, heat, second }: Shown): string =>
  [preview, full, heat, second].map(url => (url ? nameOf(url) : '')).join(' ');

export type Pictures = { [Name in 'preview' | 'full' | 'heat' | 'second']?: HTMLImageElement };

/** The pictures of a photo that have arrived so far. `failed`: none that this browser can read. */
export function usePictures(photo: Shown, scale: number): { pictures: Pictures; failed: boolean } {
  const { width, preview, full, heat, second } = photo;
  const [pictures, setPictures] = useState<Pictures>({});
  const [failed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address of the same picture loads nothing
  useEffect(() => {
    let wanted = true;
    setPictures({});
    setFailed(false);
    const take = async (name: keyof Pictures, url: string | undefined) => {
      if (url === undefined) return;
      const image = await loadPicture(url);
      if (wanted) setPictures(others => ({ ...others, [name]: image }));
    };
    take(preview ? 'preview' : 'full', preview ?? full).catch(() => {
      if (!wanted) return;
      // A browser that cannot read the first one may read the other.
      take('full', full).catch(() => wanted && setFailed(true));
    });
    take('heat', heat).catch(() => undefined);
    take('second', second).catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [namesOf(photo)]);

  const { preview: small, full: large } = pictures;
  const sharper = small && !large && scale * devicePixelRatio > (small.naturalWidth / width) * 1.05;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address of the same picture loads nothing
  useEffect(() => {
    let wanted = true;
    if (!sharper || full === undefined) return undefined;
    loadPicture(full).then(
      image => wanted && setPictures(others => ({ ...others, full: image })),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [sharper, full && nameOf(full)]);
  return { pictures, failed };
}
