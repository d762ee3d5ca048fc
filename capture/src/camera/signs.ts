import type { CameraSign } from '@firsthand/contract/verification/presence.ts';

/** What plays a canvas or a program's frames (W3C Media Capture from DOM Elements, mediacapture-transform). */
const DRAWN = /^(CanvasCaptureMediaStreamTrack|MediaStreamTrackGenerator|VideoTrackGenerator)$/;

/** The functions that a replaced camera has to replace. */
const functionsOf = ({ mediaDevices }: Navigator, track: MediaStreamTrack): unknown[] => [
  mediaDevices.getUserMedia,
  mediaDevices.enumerateDevices,
  track.getSettings,
  track.getCapabilities,
];

/**
 * What suggests that something stands in the place of the camera. No proof either way: extensions that protect privacy
 * replace functions too, and a well-made replacement leaves no sign.
 */
export function signsOf(
  track: MediaStreamTrack,
  { navigator: own }: { navigator: Navigator } = globalThis,
): CameraSign[] {
  const signs: CameraSign[] = [];
  if (DRAWN.test(Object.prototype.toString.call(track).slice('[object '.length, -1))) signs.push('drawn_track');
  const replaced = functionsOf(own, track).some(
    code => typeof code === 'function' && !/\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(code)),
  );
  if (replaced || Object.hasOwn(own.mediaDevices, 'getUserMedia')) signs.push('replaced_function');
  return signs;
}
