import type { Step } from '@firsthand/react-native';
import { act, fireEvent, waitFor } from '@testing-library/react-native';
import { AccessibilityInfo, BackHandler, Image, Linking, StyleSheet } from 'react-native';
import { appStates, serviceOf, show, testCamera } from './stage';

const photo = (key: string, description: string, min = 1, max = 1) =>
  ({ type: 'image', key, description, min, max }) as const;
const text = {
  type: 'text',
  key: 'policy',
  description: 'Policy number',
  required: true,
  validation: { format: 'numeric_id', min_length: 1, max_length: 10 },
} as const;
const upload: Step = {
  type: 'upload',
  key: 'bill',
  description: 'The bill',
  min: 1,
  max: 2,
  accept: ['image/jpeg', 'image/png'],
  max_size_bytes: 5_242_880,
};

/** What a screen reader would find: every node that is a control or a picture, by its name. */
function named(node: unknown, found: { role: string; name: string }[] = []): { role: string; name: string }[] {
  if (Array.isArray(node)) for (const each of node) named(each, found);
  if (node === null || typeof node !== 'object' || !('type' in node)) return found;
  const { type, props, children } = node as { type: string; props: Record<string, unknown>; children: unknown };
  const isControl = props.accessibilityRole === 'button' || type === 'TextInput' || type === 'RCTTextInput';
  const isPicture = /Image/.test(type) && props.accessible !== false;
  if (isControl || isPicture || props.accessibilityRole === 'progressbar') {
    found.push({
      role: isPicture ? 'image' : String(props.accessibilityRole ?? 'text'),
      name: String(props.accessibilityLabel ?? ''),
    });
  }
  named(children, found);
  return found;
}

jest.setTimeout(60_000);

let size: jest.SpyInstance;
beforeEach(() => {
  size = jest.spyOn(Image, 'getSize').mockImplementation((async () => ({ width: 4000, height: 3000 })) as never);
});
afterEach(() => jest.restoreAllMocks());

test('a step shows its example picture before the photo and at the camera, until the account deletes it', async () => {
  const example_url = 'https://photos.example/example.jpg';
  const service = serviceOf([photo('front', 'The front')], {
    brand: { slug: 'umbrella', name: 'Umbrella', colors: {} },
    step_states: [{ type: 'image', key: 'front', captured: 0, min: 1, max: 1, example_url }],
  } as never);
  const { screen } = await show(service, { camera: testCamera().camera });
  expect((await screen.findByLabelText('An example of this photo')).props.source).toEqual({ uri: example_url });
  await screen.findByText('Example from Umbrella');
  await fireEvent.press(screen.getByLabelText('Take photo: The front'));
  await screen.findByTestId('camera');
  await fireEvent(screen.getByLabelText('An example of this photo'), 'error');
  await waitFor(() => expect(screen.queryByText('Example from Umbrella')).toBeNull());
});

test('every kind of step is taken, shown and sent, and the end is told once', async () => {
  const service = serviceOf([
    photo('front', 'The front'),
    photo('more', 'More', 0),
    photo('sides', 'Two sides', 2, 2),
    text,
    upload,
  ]);
  const { camera, at } = testCamera();
  const stage = await show(service, { camera, pick: async () => [stage.shoot(), stage.shoot()] });
  const { screen, ends, shoot } = stage;
  at.take = async () => shoot();
  await screen.findByText('You have been asked for a few things');
  expect(screen.getByText('More (optional)')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Send' })).toBeDisabled();

  await fireEvent.press(screen.getByRole('button', { name: 'Take photo: The front' }));
  for (const title of ['The front', 'Two sides', 'Two sides']) {
    await screen.findByRole('header', { name: title });
    await fireEvent.press(await screen.findByRole('button', { name: 'Take photo' }));
    await fireEvent.press(await screen.findByRole('button', { name: 'Use photo' }));
  }
  // Nothing else needs the camera, so everything shows again.
  await screen.findByLabelText('Two sides, photo 2');
  await fireEvent.press(screen.getByRole('button', { name: 'Choose pictures: The bill' }));
  await screen.findByLabelText('The bill, photo 2');
  await fireEvent.changeText(screen.getByLabelText('Policy number'), 'A');
  await fireEvent.press(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText('Numbers only, please. No spaces, letters or symbols.');
  await fireEvent.changeText(screen.getByLabelText('Policy number'), ' ٧٧ ');
  await fireEvent.press(screen.getByRole('button', { name: 'Send' }));
  await screen.findByRole('header', { name: 'All sent. Thank you.' });

  const captures = service.bodies.filter(({ path }) => path.endsWith('/captures')).map(({ body }) => body);
  expect(captures.map(({ step_key }) => step_key).sort()).toEqual(['bill', 'bill', 'front', 'sides', 'sides']);
  expect(captures.map(({ surface }) => surface).sort()).toEqual(['app', 'app', 'app', 'app_file', 'app_file']);
  expect(service.bodies.at(-1)?.body).toEqual({ answers: { policy: '77' } });
  expect(ends).toMatchObject([{ outcome: 'done' }]);
  expect(service.progress).toEqual(
    expect.arrayContaining(['landing', 'capturing', 'reviewing', 'uploading', 'success']),
  );
});

test('a link that asks for moves gets the film of a camera that films, with the moves that had their time', async () => {
  const service = serviceOf([photo('front', 'The front')], {
    requires: { location: false, motion_frame: true },
  } as never);
  const { camera, at } = testCamera();
  let stops = 0;
  at.film = () => ({
    async stop() {
      stops += 1;
      const now = performance.now();
      const frames = Array.from({ length: 16 }, (_, n) => ({ at: now + n, jpeg: new ArrayBuffer(8) }));
      return { frames, video: { width: 1280, height: 960 } };
    },
  });
  const gyroscope = {
    setUpdateInterval: () => {},
    addListener(listener: (rate: { x: number; y: number; z: number }) => void) {
      listener({ x: 0.1, y: 0.2, z: 0.3 });
      return { remove: () => {} };
    },
  };
  const { screen, shoot, files } = await show(service, { camera, gyroscope });
  at.take = async () => shoot();
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo' }));
  await screen.findByRole('header', { name: 'Move the phone a little to the left' });
  expect(screen.queryByRole('button', { name: 'Take photo' })).toBeNull();
  await screen.findByRole('header', { name: 'Move the phone a little higher' }, { timeout: 5_000 });
  await fireEvent.press(screen.getByRole('button', { name: 'This is hard for me' }));
  await fireEvent.press(await screen.findByRole('button', { name: 'Use photo' }));
  await screen.findByLabelText('The front, photo 1');
  expect(stops).toBe(1);
  const film = [...files].find(([name]) => name.endsWith('.film'))?.[1] as Uint8Array;
  const length = new DataView(film.buffer, film.byteOffset).getUint32(0);
  const header = JSON.parse(Buffer.from(film.subarray(4, 4 + length)).toString());
  expect(header).toMatchObject({
    challenge_id: 'chl_1',
    video: { width: 1280, height: 960 },
    motion: [[expect.any(Number), 0.1, 0.2, 0.3]],
    guidance: {
      gave_up: true,
      moves: [
        { move: 'left', done: true },
        { move: 'up', done: false },
      ],
    },
  });
  await fireEvent.press(screen.getByRole('button', { name: 'Send' }));
  await screen.findByRole('header', { name: 'All sent. Thank you.' });
  const sent = service.bodies.find(({ path }) => path.endsWith('/captures'))!.body;
  const announced = service.bodies.find(({ path }) => path.endsWith('/films'))!.body;
  expect(sent).toMatchObject({ challenge_id: 'chl_1', trace_sha256: announced.trace_sha256 });
});

test('a photo is taken again in place of the first, and removed', async () => {
  const { camera, at } = testCamera();
  const { screen, shoot, files } = await show(serviceOf([photo('front', 'The front')]), { camera });
  at.take = async () => shoot();
  const pictures = () => [...files.keys()].filter(name => name.endsWith('.photo'));
  const take = async (opens: string) => {
    await fireEvent.press(await screen.findByRole('button', { name: opens }));
    await fireEvent.press(await screen.findByRole('button', { name: 'Take photo' }));
    await fireEvent.press(await screen.findByRole('button', { name: 'Use photo' }));
    await screen.findByLabelText('The front, photo 1');
  };
  await take('Take photo: The front');
  const [first] = pictures();
  await take('Retake: The front, photo 1');
  expect(pictures()).toHaveLength(1);
  expect(pictures()).not.toContain(first);
  await fireEvent.press(screen.getByRole('button', { name: 'Remove picture 1: The front' }));
  await screen.findByRole('button', { name: 'Take photo: The front' });
  expect(pictures()).toEqual([]);
});

test('a photo below the least size cannot be used', async () => {
  const service = serviceOf([photo('front', 'The front')]);
  Object.assign(service.view.step_states[0]!, { min_long_side: 5000 });
  const { camera, at } = testCamera();
  const { screen, shoot } = await show(service, { camera });
  at.take = async () => shoot();
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo' }));
  await screen.findByText('This photo is too small. Its longer side needs at least 5,000 pixels.');
  expect(screen.queryByRole('button', { name: 'Use photo' })).toBeNull();
  expect(size).toHaveBeenCalled();
});

test('leaving ends once, tells the service, and Android’s back leads from the camera to everything first', async () => {
  let back = () => false as boolean | null | undefined;
  jest.spyOn(BackHandler, 'addEventListener').mockImplementation((_, listener) => {
    back = listener as typeof back;
    return { remove: () => {} } as never;
  });
  const { screen, ends, service } = await show(serviceOf([photo('front', 'The front')]), {
    camera: testCamera().camera,
  });
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
  await screen.findByTestId('camera');
  await act(async () => void back());
  await screen.findByRole('button', { name: 'Send' });
  expect(ends).toEqual([]);
  await act(async () => void back());
  await fireEvent.press(screen.getByRole('button', { name: 'Back' }));
  expect(ends).toEqual([{ outcome: 'cancelled', held: 0 }]);
  await waitFor(() => expect(service.progress.at(-1)).toBe('abandoned'));
});

test('a refused camera is explained, with a way to the settings', async () => {
  const settings = jest.spyOn(Linking, 'openSettings').mockResolvedValue();
  const { camera, at } = testCamera({ granted: false });
  const { screen, service } = await show(serviceOf([photo('front', 'The front')]), { camera });
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
  await screen.findByText(/Allow the camera in the settings/);
  expect(at.asked).toBe(1);
  await fireEvent.press(screen.getByRole('button', { name: 'Open the settings' }));
  expect(settings).toHaveBeenCalledTimes(1);
  expect(service.progress).toContain('camera_blocked');
});

test('the camera is the only child of its frame, and its frame the first of the screen', async () => {
  const { screen } = await show(serviceOf([photo('front', 'The front')]), { camera: testCamera().camera });
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
  const camera = await screen.findByTestId('camera');
  expect(camera.parent?.children).toEqual([camera]);
  expect(camera.parent?.parent?.children[0]).toBe(camera.parent);
  const { width, height } = StyleSheet.flatten(camera.parent?.props.style);
  expect(height / width).toBeCloseTo(4 / 3);
});

test('a silent camera is mounted afresh once, then offered again, and afresh when the app was behind another', async () => {
  jest.useFakeTimers();
  try {
    const tell = appStates();
    const { camera, at } = testCamera({ ready: false });
    const { screen } = await show(serviceOf([photo('front', 'The front')]), { camera });
    await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
    expect(at.mounted).toBe(1);
    await act(async () => void jest.advanceTimersByTime(5_000));
    expect(at.mounted).toBe(2);
    await act(async () => void jest.advanceTimersByTime(5_000));
    await screen.findByText(/The camera stopped/);
    await fireEvent.press(screen.getByRole('button', { name: 'Try again' }));
    await act(async () => at.ready());
    await screen.findByRole('button', { name: 'Take photo' });
    expect(at.mounted).toBe(3);
    // The system's own question is no other app.
    await act(async () => ['inactive', 'active'].forEach(tell));
    expect(at.mounted).toBe(3);
    await act(async () => ['background', 'active'].forEach(tell));
    expect(at.mounted).toBe(4);
  } finally {
    jest.useRealTimers();
  }
});

test('one photo is taken at a time, and none is waited for when the app goes behind another', async () => {
  const tell = appStates();
  const { camera, at } = testCamera();
  let takes = 0;
  at.take = () => {
    takes += 1;
    return new Promise(() => {});
  };
  const { screen } = await show(serviceOf([photo('front', 'The front')]), { camera });
  await fireEvent.press(await screen.findByRole('button', { name: 'Take photo: The front' }));
  const shutter = await screen.findByRole('button', { name: 'Take photo' });
  await fireEvent.press(shutter);
  await fireEvent.press(shutter);
  expect(takes).toBe(1);
  await screen.findByText('Taking the photo');
  await act(async () => tell('background'));
  await screen.findByText('The camera gave no picture. Press the button again.');
});

test('an expired, withdrawn or unknown link says so and ends closed once', async () => {
  const past = new Date(Date.now() - 1_000).toISOString();
  const expired = await show(serviceOf([photo('front', 'The front')], { status: 'expired', expires_at: past }));
  await expired.screen.findByRole('header', { name: 'This link has expired' });
  expect(expired.ends).toEqual([{ outcome: 'closed', reason: 'expired' }]);
  const withdrawn = await show(serviceOf([photo('front', 'The front')], { status: 'expired' }));
  await withdrawn.screen.findByRole('header', { name: 'This request was cancelled' });
  const unknown = serviceOf([]);
  unknown.answer = { status: 404, body: { error: { code: 'not_found', message: 'no', doc_url: '' } } };
  const lost = await show(unknown);
  await lost.screen.findByRole('header', { name: 'This link does not work' });
  expect(lost.ends).toEqual([{ outcome: 'closed', reason: 'unknown' }]);
});

test('a link that expires while it shows is closed', async () => {
  // Long before that the phone's clock may have passed it: then nothing is asked again and again.
  const ahead = serviceOf([photo('front', 'The front')], { expires_at: new Date(Date.now() - 5_000).toISOString() });
  const early = await show(ahead);
  await early.screen.findByRole('button', { name: 'Send' });
  const service = serviceOf([photo('front', 'The front')], { expires_at: new Date(Date.now() + 200).toISOString() });
  const { screen, ends } = await show(service);
  await screen.findByRole('button', { name: 'Send' });
  Object.assign(service.view, { status: 'expired' });
  await screen.findByRole('header', { name: 'This link has expired' }, { timeout: 5_000 });
  expect(ends).toEqual([{ outcome: 'closed', reason: 'expired' }]);
  expect(ahead.views).toBe(1);
});

test('without a connection the screen says so, and goes on when the app comes back', async () => {
  const service = serviceOf([photo('front', 'The front')]);
  service.offline = true;
  const { screen, comeBack, ends } = await show(service);
  await screen.findByRole('header', { name: 'No connection' });
  service.offline = false;
  await act(async () => comeBack());
  await screen.findByRole('button', { name: 'Send' });
  expect(ends).toEqual([]);
});

test('every control and picture has a name, and a screen reader is led to each new heading', async () => {
  const focus = jest.spyOn(AccessibilityInfo, 'sendAccessibilityEvent').mockImplementation(() => {});
  const { camera, at } = testCamera();
  const stage = await show(serviceOf([photo('front', 'The front'), text, upload]), { camera });
  const { screen, shoot } = stage;
  at.take = async () => shoot();
  const check = () => {
    const all = named(screen.toJSON());
    expect(all.length).toBeGreaterThan(1);
    expect(all.filter(({ name }) => name === '')).toEqual([]);
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  };
  await screen.findByRole('button', { name: 'Send' });
  check();
  await fireEvent.press(screen.getByRole('button', { name: 'Take photo: The front' }));
  await screen.findByRole('button', { name: 'Take photo' });
  check();
  await fireEvent.press(screen.getByRole('button', { name: 'Take photo' }));
  await screen.findByRole('button', { name: 'Use photo' });
  check();
  await fireEvent.press(screen.getByRole('button', { name: 'Use photo' }));
  await screen.findByLabelText('The front, photo 1');
  check();
  expect(focus.mock.calls.length).toBeGreaterThanOrEqual(4);
});

test('the screen speaks the wanted language from its side, and takes words of the app’s', async () => {
  const { screen } = await show(serviceOf([photo('front', 'The front')]), {
    language: 'ar',
    words: { 'summary.send': 'أرسل الآن' },
  });
  const send = await screen.findByRole('button', { name: 'أرسل الآن' });
  expect(send.props.accessibilityLanguage).toBe('ar');
  let root = send;
  while (root.parent) root = root.parent;
  const rooted = screen.toJSON() as unknown as { props: { style: object } };
  expect(StyleSheet.flatten(rooted.props.style)).toMatchObject({ direction: 'rtl' });
});

test('the screen is light or dark, with the brand’s name and accent', async () => {
  const brand = { slug: 'acme', name: 'Acme', colors: { accent: '#ffee00' } };
  const styles: unknown[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const { screen } = await show(serviceOf([photo('front', 'The front')], { brand }), { colorScheme });
    await screen.findByRole('header', { name: 'Acme asks you for 1 photo' });
    const rooted = screen.toJSON() as unknown as { props: { style: object } };
    const { backgroundColor } = StyleSheet.flatten(
      screen.getByRole('button', { name: 'Take photo: The front' }).props.style,
    );
    styles.push([StyleSheet.flatten(rooted.props.style as never), backgroundColor]);
  }
  expect(styles).toMatchObject([
    [{ backgroundColor: '#f7f9fa' }, expect.not.stringMatching('#ffee00')],
    [{ backgroundColor: '#0c1116' }, '#ffee00'],
  ]);
});
