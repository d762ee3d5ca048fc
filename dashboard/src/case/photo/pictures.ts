/** Decoded pictures by address, the newest last: the next case is painted without waiting for its bytes. */
const kept = new Map<string, Promise<HTMLImageElement>>();
const MOST = 24;

/** A picture's name. The presigned part of its address changes with each read of the case; the picture does not. */
export const nameOf = (url: string): string => {
  const { origin, pathname } = new URL(url, location.href);
  return origin + pathname;
};

/** Loads and decodes a picture once. */
export function loadPicture(url: string): Promise<HTMLImageElement> {
  const name = nameOf(url);
  const known = kept.get(name);
  if (known) {
    kept.delete(name);
    kept.set(name, known);
    return known;
  }
  const image = new Image();
  image.src = url;
  const loading = image.decode().then(() => image);
  loading.catch(() => kept.delete(name));
  kept.set(name, loading);
  for (const old of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(old);
  }
  return loading;
}
