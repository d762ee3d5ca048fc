import { type CaptureState, type Controller, createController, type Keeper } from '@firsthand/react/controller.ts';
import type { CaptureView } from '@firsthand/sdk/capture';
import { type AddOptions, type Capture, type HeldPhoto, type Link, openCapture, type PhotoStep } from './capture.ts';
import type { Phone } from './phone.ts';

export type CaptureStatus = CaptureState<HeldPhoto>;

export interface CaptureController extends Controller<HeldPhoto> {
  /** Keeps a photo on the phone, as `add` of the capture does, in place of the held photo `replaces`. */
  addPhoto(step: PhotoStep, uri: string, options?: AddOptions & { replaces?: string | undefined }): Promise<void>;
  /** Asks for the moves of a film at the shutter. */
  challenge: Capture['challenge'];
  /** Tells the service where the person is. Best effort. */
  report: Capture['progress'];
}

/** The capture of one link for a screen to show, without React. */
export function captureController(
  phone: Phone,
  link: Link,
  onDone: (view: CaptureView) => void = () => {},
): CaptureController {
  let opening: Promise<Capture> | undefined;
  const opened = () => {
    opening ??= openCapture(phone, link).catch(error => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const keeper: Keeper<HeldPhoto> = {
    view: async () => (await opened()).view(),
    photos: async () => (await opened()).photos(),
    answers: async () => (await opened()).answers(),
    remove: async id => (await opened()).remove(id),
    setAnswer: async (key, value) => (await opened()).setAnswer(key, value),
    send: async options => (await opened()).send(options),
  };
  const controller = createController(keeper, onDone);
  return {
    ...controller,
    async addPhoto(step, uri, { replaces, ...options } = {}) {
      const capture = await opened();
      await capture.add(step, uri, options);
      if (replaces !== undefined) await capture.remove(replaces);
      await controller.reread();
    },
    challenge: async step => (await opened()).challenge(step),
    report: async report => (await opened()).progress(report),
  };
}
