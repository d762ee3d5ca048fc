import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createCamera } from './camera.ts';

type Lens = { label: string; facing: 'user' | 'environment' | undefined };

/**
 * A browser with these cameras, of which it answers 'environment' with the one numbered `main`. `told`: it tells the facing of cameras that
 * are not open.
 */
function browser(lenses: readonly Lens[], main: number, told: boolean): { opened: () => number } {
  let opened = -1;
  const capabilities = (i: number) => ({ facingMode: lenses[i]?.facing ? [lenses[i]!.facing!] : [] });
  const mediaDevices = {
    enumerateDevices: async () =>
      lenses.map(({ label }, i) => ({
        kind: 'videoinput',
        deviceId: `id${i}`,
        label,
        ...(told ? { getCapabilities: () => capabilities(i) } : {}),
      })),
    getUserMedia: async ({ video }: { video: { deviceId?: { exact: string } } }) => {
      const i = video.deviceId ? Number(video.deviceId.exact.slice(2)) : main;
      opened = i;
      const track = {
        readyState: 'live',
        stop() {
          this.readyState = 'ended';
        },
        addEventListener: () => {},
        getCapabilities: () => capabilities(i),
        getSettings: () => ({ deviceId: `id${i}`, ...(lenses[i]?.facing ? { facingMode: lenses[i]!.facing } : {}) }),
      };
      return { getVideoTracks: () => [track], getTracks: () => [track] };
    },
  };
  vi.stubGlobal('navigator', { mediaDevices });
  vi.stubGlobal('isSecureContext', true);
  return { opened: () => opened };
}

afterEach(() => vi.unstubAllGlobals());

const LABELS = [
  ['Front Camera', 'Back Camera', 'Back Ultra Wide Camera'],
  ['Fotocamera anteriore', 'Fotocamera posteriore', 'Fotocamera posteriore (ultra-grandangolo)'],
  ['Ön Kamera', 'Arka Kamera', 'Arka Ultra Geniş Kamera'],
  ['전면 카메라', '후면 카메라', '후면 듀얼 카메라'],
  ['Etukamera', 'Takakamera', 'Takakamera (tele)'],
];

const label = fc.oneof(
  fc.string(),
  fc.constantFrom(...LABELS.flat()),
  fc.tuple(fc.nat(9), fc.constantFrom('back', 'front')).map(([n, side]) => `camera2 ${n}, facing ${side}`),
);
const phone = fc
  .array(fc.record({ label, facing: fc.constantFrom('user' as const, 'environment' as const) }), {
    minLength: 1,
    maxLength: 6,
  })
  .chain(lenses =>
    fc.record({ lenses: fc.constant(lenses), main: fc.nat(lenses.length - 1), told: fc.boolean(), presses: fc.nat(8) }),
  )
  .filter(({ lenses, main }) => lenses[main]?.facing === 'environment');

test('createCamera never leaves the back of the phone, whatever the cameras are called', async () => {
  await fc.assert(
    fc.asyncProperty(phone, async ({ lenses, main, told, presses }) => {
      const { opened } = browser(lenses, main, told);
      const camera = createCamera();
      await camera.open();
      for (let i = 0; i <= presses; i++) {
        expect(camera.state).toMatchObject({ status: 'live', facing: 'back' });
        expect(lenses[opened()]?.facing).toBe('environment');
        await camera.switchLens();
      }
    }),
  );
});

test.each(LABELS)('createCamera keeps the camera that an iPhone opened: %s, %s', async (...labels) => {
  const facing = (i: number) => (i === 0 ? ('user' as const) : ('environment' as const));
  const { opened } = browser(
    labels.map((text, i) => ({ label: text, facing: facing(i) })),
    1,
    false,
  );
  const camera = createCamera();
  await camera.open();
  expect(opened()).toBe(1);
  expect(camera.state).toMatchObject({ status: 'live', facing: 'back' });
});

test('createCamera lets the person switch between back lenses that the browser tells of, in any language', async () => {
  const { opened } = browser(
    [
      { label: 'الكاميرا الأمامية', facing: 'user' },
      { label: 'الكاميرا الخلفية', facing: 'environment' },
      { label: 'الكاميرا الخلفية فائقة الاتساع', facing: 'environment' },
    ],
    1,
    true,
  );
  const camera = createCamera();
  await camera.open();
  expect(camera.state).toMatchObject({ lenses: 2 });
  await camera.switchLens();
  expect(opened()).toBe(2);
  await camera.switchLens();
  expect(opened()).toBe(1);
});

test('createCamera turns to the back camera where the browser opened the front one', async () => {
  const { opened } = browser(
    [
      { label: 'カメラ 1', facing: 'user' },
      { label: 'カメラ 2', facing: 'environment' },
    ],
    0,
    true,
  );
  const camera = createCamera();
  await camera.open();
  expect(opened()).toBe(1);
});
