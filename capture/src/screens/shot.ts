import { sha256Hex } from '@firsthand/sdk/capture/digest.ts';
import type { HeldSession } from '@firsthand/sdk/capture/store.ts';
import type { DeviceLocation, FilmAnnouncement } from '@firsthand/sdk/capture/wire.ts';
import { useState } from 'preact/hooks';
import type { Photo } from '../camera/camera.ts';
import type { SessionResult } from '../camera/trace.ts';
import type { Locator } from '../location.ts';

/** A photo from the shutter until the person accepts it. */
export type Shot = {
  photo: Photo;
  contentType: string;
  surface: 'web' | 'web_file';
  capturedAt: string;
  /** Requested at the shutter, so that it is the place where the photo was taken. */
  location?: Promise<DeviceLocation | undefined>;
  motionFrame?: Blob;
  session?: HeldSession;
};

/** A photo that the person accepted, ready to be held for sending. */
export type TakenPhoto = {
  bytes: ArrayBuffer;
  contentType: string;
  sha256: string;
  surface: 'web' | 'web_file';
  capturedAt: string;
  location?: DeviceLocation;
  motionFrame?: ArrayBuffer;
  session?: HeldSession;
};

export type Proceed = (next: Shot, after: 'shutter' | 'motion' | 'location') => void;

type ShotOptions = {
  /** Asks for the moves after a photo; undefined where the step needs none. */
  challenge: unknown;
  wantsLocation: boolean;
  locator: Locator;
};

/** The shot at hand and the sheet that it waits for. `proceed` leads it through the moves, the location (asked once) and the review. */
export function useShot({ challenge, wantsLocation, locator }: ShotOptions) {
  const [shot, setShot] = useState<Shot>();
  const [sheet, setSheet] = useState<'motion' | 'location'>();

  const proceed: Proceed = (next, after) => {
    setShot(next);
    if (after === 'shutter' && challenge && next.surface === 'web') return setSheet('motion');
    if (after !== 'location' && wantsLocation && locator.undecided) return setSheet('location');
    setSheet(undefined);
    setShot({ ...next, location: next.location ?? (wantsLocation ? locator.locate() : Promise.resolve(undefined)) });
  };
  const discard = () => {
    setShot(undefined);
    setSheet(undefined);
  };
  return { shot, sheet, proceed, discard };
}

/** Adds what the moves gave: the second photo, and the film with its hash. */
export async function withMoves(shot: Shot, { second, session }: SessionResult): Promise<Shot> {
  return {
    ...shot,
    ...(second ? { motionFrame: second } : {}),
    ...(session ? { session: { ...session, traceSha256: await sha256Hex(session.trace) } } : {}),
  };
}

export const withPlace = (shot: Shot, place: DeviceLocation | undefined): Shot => ({
  ...shot,
  location: Promise.resolve(place),
});

/** Names the film that belongs to a shot. */
export async function filmOf({ photo, session }: Shot): Promise<FilmAnnouncement | undefined> {
  if (!session) return undefined;
  const image_sha256 = await sha256Hex(await photo.blob.arrayBuffer());
  return { challenge_id: session.challengeId, image_sha256, trace_sha256: session.traceSha256 };
}

export async function takenOf({ photo, location, motionFrame, ...shot }: Shot): Promise<TakenPhoto> {
  const bytes = await photo.blob.arrayBuffer();
  const place = await location;
  const second = await motionFrame?.arrayBuffer();
  return {
    ...shot,
    bytes,
    sha256: await sha256Hex(bytes),
    ...(place ? { location: place } : {}),
    ...(second ? { motionFrame: second } : {}),
  };
}
