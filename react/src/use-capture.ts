import {
  type CaptureStore,
  type CaptureView,
  createCaptureClient,
  type HeldCapture,
  openStore,
  randomId,
  sendHeld,
  sha256Hex,
} from '@firsthand/sdk/capture';
import { useMemo, useRef } from 'react';
import { type CaptureState, type Controller, createController } from './controller.ts';
import { useController } from './use-controller.ts';

export interface UseCaptureOptions {
  /** The verification id (`vfy_…`). Whoever has it may capture. Another one starts anew. */
  token: string;
  /** Origin of the service; the page's own unless given. */
  baseUrl?: string;
  /** Called once when the service has everything that the verification requires. */
  onDone?: (view: CaptureView) => void;
}

/** A photo on the device, which the service does not have yet. */
export interface HeldPhoto {
  id: string;
  stepKey: string;
  blob: Blob;
}

type Actions = Pick<Controller<HeldPhoto>, 'removePhoto' | 'setAnswer' | 'send'>;
export interface Capture extends CaptureState<HeldPhoto>, Actions {
  /** Keeps a photo on the device, so that it outlives a reload. */
  addPhoto: (stepKey: string, photo: Blob) => Promise<void>;
}

/** The capture of one verification as React state. It draws nothing. */
export function useCapture({ token, baseUrl = '', onDone }: UseCaptureOptions): Capture {
  const done = useRef(onDone);
  done.current = onDone;
  const { controller, actions } = useMemo(() => {
    const browser = browserKeeper(token, baseUrl);
    const made = createController(browser, view => done.current?.(view));
    const addPhoto = async (stepKey: string, photo: Blob) => {
      await browser.add(stepKey, photo);
      await made.reread();
    };
    const { removePhoto, setAnswer, send } = made;
    return { controller: made, actions: { addPhoto, removePhoto, setAnswer, send } };
  }, [token, baseUrl]);
  return { ...useController(controller), ...actions };
}

const photoOf = ({ id, stepKey, bytes, contentType }: HeldCapture): HeldPhoto => ({
  id,
  stepKey,
  blob: new Blob([bytes], { type: contentType }),
});

/** Keeps photos in the browser's store, which opens when it is first needed. */
function browserKeeper(token: string, baseUrl: string) {
  const client = createCaptureClient({ token, baseUrl });
  let store: Promise<CaptureStore> | undefined;
  const opened = () => {
    store ??= openStore();
    return store;
  };
  return {
    view: client.view,
    photos: async () => (await (await opened()).captures(token)).map(photoOf),
    answers: async () => (await opened()).answers(token),
    remove: async (id: string) => (await opened()).removeCapture(id),
    setAnswer: async (key: string, value: string) => (await opened()).putAnswer({ token, key, value }),
    send: async (options: Pick<Parameters<typeof sendHeld>[0], 'signal' | 'onProgress'>) =>
      sendHeld({ client, store: await opened(), ...options }),
    async add(stepKey: string, photo: Blob) {
      const bytes = await photo.arrayBuffer();
      await (await opened()).putCapture({
        id: randomId(),
        token,
        stepKey,
        bytes,
        contentType: photo.type || 'image/jpeg',
        sha256: await sha256Hex(bytes),
        surface: 'web_file',
        capturedAt: new Date().toISOString(),
      });
    },
  };
}
