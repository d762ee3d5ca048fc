import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { useRef, useState } from 'preact/hooks';
import { type Camera, sizeOf } from '../camera/camera.ts';
import { askForMotion } from '../camera/motion-sensor.ts';
import type { OpenChallenge } from '../camera/trace.ts';
import { checkFile } from '../files.ts';
import { usePage } from '../page-context.ts';
import { sizeIn, typesIn } from '../refusal.ts';
import type { Proceed } from './shot.ts';

export type Video = { current: HTMLVideoElement | null };

/** Takes photos by the shutter and from files. `challenge` resolves to the moves that the shutter asked for. */
export function useTaking(
  camera: Camera,
  video: Video,
  askChallenge: (() => Promise<OpenChallenge | undefined>) | undefined,
  proceed: Proceed,
) {
  const page = usePage();
  const { t, announce } = page;
  const [taking, setTaking] = useState(false);
  const [fault, setFault] = useState('');
  const challenge = useRef<Promise<OpenChallenge | undefined>>(undefined);

  async function onShutter(): Promise<void> {
    if (!video.current || taking) return;
    setTaking(true);
    setFault('');
    announce(t('camera.taking'));
    const capturedAt = new Date().toISOString();
    if (askChallenge) {
      // Both in the tap itself: a system that asks for the sensor wants that, and the moves are known when the photo is taken.
      const asked = askForMotion();
      const moves = askChallenge();
      challenge.current = asked.then(() => moves);
    }
    try {
      const photo = await camera.takePhoto(video.current);
      proceed({ photo, contentType: photo.blob.type || 'image/jpeg', surface: 'web', capturedAt }, 'shutter');
    } catch {
      setFault(t('camera.failed'));
    } finally {
      setTaking(false);
    }
  }

  async function onFile(file: File | undefined): Promise<void> {
    if (!file) return;
    setFault('');
    const checked = await checkFile(file);
    if ('fault' in checked) {
      const [types, size] = [typesIn(LIVE_IMAGE_TYPES), sizeIn(page, UPLOAD_HARD_CAP_BYTES)];
      return setFault(t(checked.fault, { types, size, megapixels: page.number(checked.megapixels ?? 0) }));
    }
    // Some browsers cannot decode formats that the service accepts (HEIC). The file is then sent without a preview.
    const size = await sizeOf(file).catch(() => ({ width: 0, height: 0 }));
    const { blob, contentType } = checked;
    const capturedAt = new Date().toISOString();
    proceed({ photo: { blob, ...size }, contentType, surface: 'web_file', capturedAt }, 'shutter');
  }

  return { taking, setTaking, fault, challenge, onShutter, onFile };
}
