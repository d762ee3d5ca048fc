import { expect, test } from 'vitest';
import { signsOf } from './signs.ts';

/** A track as a browser makes it: named by its class, with functions of its own. */
const trackOf = (kind: string, own: object = {}) =>
  Object.assign(Object.create({ [Symbol.toStringTag]: kind, getSettings: parseInt, getCapabilities: parseInt }), own);
const devicesOf = (own: object = {}) =>
  ({
    navigator: {
      mediaDevices: Object.assign(Object.create({ getUserMedia: parseInt, enumerateDevices: parseInt }), own),
    },
  }) as unknown as { navigator: Navigator };
/** A function that says that it is the browser's own, as `bind` makes it. */
const bound = (() => {}).bind(null);

test('signsOf finds nothing about a camera', () => {
  expect(signsOf(trackOf('MediaStreamTrack'), devicesOf())).toEqual([]);
  // Some browsers lack it.
  expect(signsOf(trackOf('MediaStreamTrack', { getCapabilities: undefined }), devicesOf())).toEqual([]);
});

test('signsOf names tracks that are drawn', () => {
  for (const kind of ['CanvasCaptureMediaStreamTrack', 'MediaStreamTrackGenerator', 'VideoTrackGenerator'])
    expect(signsOf(trackOf(kind), devicesOf())).toEqual(['drawn_track']);
});

test('signsOf names functions that are not the browser’s own', () => {
  const replaced = ['replaced_function'];
  const track = trackOf('MediaStreamTrack');
  expect(signsOf(track, devicesOf({ getUserMedia: async () => {} }))).toEqual(replaced);
  expect(signsOf(track, devicesOf({ enumerateDevices: async () => {} }))).toEqual(replaced);
  expect(signsOf(trackOf('MediaStreamTrack', { getSettings: () => ({}) }), devicesOf())).toEqual(replaced);
  expect(signsOf(track, devicesOf({ getUserMedia: bound }))).toEqual(replaced);
});
