/** The next picture of a video: `at` on the page's clock (`performance.now()`), in ms, with the video's own distances. */
export type OnFrame = (at: number) => void;

/**
 * Calls `onFrame` for each picture that the video shows, until the returned function is called. Browsers without `requestVideoFrameCallback`
 * (Firefox before 132) are asked at each repaint whether the video went on.
 */
export function watchFrames(video: HTMLVideoElement, onFrame: OnFrame): () => void {
  let handle = 0;
  let stopped = false;
  let offset: number | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const pass = (now: number, seconds: number) => {
    const own = seconds * 1000;
    // A stream that is opened again counts from 0.
    if (offset === undefined || own + offset <= last) offset = now - own;
    if (own + offset <= last) return;
    last = own + offset;
    onFrame(last);
  };
  if (!video.requestVideoFrameCallback) {
    let before = -1;
    const look = (now: number) => {
      if (stopped) return;
      if (video.currentTime !== before) pass(now, video.currentTime);
      before = video.currentTime;
      handle = requestAnimationFrame(look);
    };
    handle = requestAnimationFrame(look);
    return () => {
      stopped = true;
      cancelAnimationFrame(handle);
    };
  }
  const next = (now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    if (stopped) return;
    pass(now, mediaTime);
    handle = video.requestVideoFrameCallback(next);
  };
  handle = video.requestVideoFrameCallback(next);
  return () => {
    stopped = true;
    video.cancelVideoFrameCallback(handle);
  };
}
