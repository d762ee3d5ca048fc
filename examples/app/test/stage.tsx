// A phone in memory and a service that answers one view, for the tests of the screen. The whole flow against a real service is tested in
// server/test/app; here the parts of React Native are the real ones.
import { createHash, randomUUID } from 'node:crypto';
import {
  type Camera,
  type Filming,
  FirsthandCapture,
  type FirsthandCaptureProps,
  type Phone,
} from '@firsthand/react-native';
import { render } from '@testing-library/react-native';
import { useEffect, useImperativeHandle } from 'react';
import { AppState, View } from 'react-native';

type ServedView = Awaited<
  ReturnType<Awaited<ReturnType<typeof import('@firsthand/react-native').openCapture>>['view']>
>;

const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...Array<number>(60).fill(1)]);

/** Files in memory. `cache`: what the camera and the picker wrote. */
export function memoryPhone(service: Service) {
  const files = new Map<string, Uint8Array | string>();
  const cache = new Map<string, Uint8Array>();
  const secrets = new Map<string, string>();
  const returns = new Set<() => void>();
  const below = (path: string) => [...files.keys()].filter(name => name.startsWith(path === '' ? '' : `${path}/`));
  const phone: Phone = {
    files: {
      list: async folder => [
        ...new Set(below(folder).map(name => name.slice(folder === '' ? 0 : folder.length + 1).split('/')[0]!)),
      ],
      readText: async path => files.get(path) as string,
      writeText: async (path, text) => void files.set(path, text),
      writeBytes: async (path, bytes) => void files.set(path, bytes),
      readBytes: async path => new Uint8Array(files.get(path) as Uint8Array),
      async move(from, to) {
        files.set(to, files.get(from)!);
        files.delete(from);
      },
      async take(uri, path) {
        const bytes = cache.get(uri);
        if (!bytes) throw new Error(`nothing at ${uri}`);
        files.set(path, bytes);
      },
      async remove(path) {
        for (const name of [path, ...below(path)]) files.delete(name);
      },
      uriOf: path => `file:///documents/${path}`,
      async upload() {
        if (service.offline) throw new Error('lost');
        return 200;
      },
    },
    secrets: {
      get: async name => secrets.get(name) ?? null,
      set: async (name, value) => void secrets.set(name, value),
      remove: async name => void secrets.delete(name),
    },
    sha256: async bytes => createHash('sha256').update(bytes).digest(),
    randomId: randomUUID,
    integrity: async () => null,
    onReturn(listener) {
      returns.add(listener);
      return () => returns.delete(listener);
    },
    fetch: service.fetch as typeof fetch,
  };
  const shoot = (bytes: Uint8Array = JPEG) => {
    const uri = `file:///cache/${randomUUID()}.jpg`;
    cache.set(uri, bytes);
    return uri;
  };
  return {
    phone,
    shoot,
    files,
    comeBack() {
      for (const listener of [...returns]) listener();
    },
  };
}

export type Service = ReturnType<typeof serviceOf>;

/** Answers as the service does, for one link. */
export function serviceOf(steps: ServedView['config']['steps'], more: Partial<ServedView> = {}) {
  const view = {
    id: 'vfy_test',
    status: 'pending',
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    config: { steps },
    captures_count: 0,
    step_states: steps.map(step =>
      step.type === 'text'
        ? { type: 'text', key: step.key, answered: false }
        : { type: step.type, key: step.key, captured: 0, min: step.min, max: step.max },
    ),
    requires: { location: false, motion_frame: false },
    ...more,
  } as unknown as ServedView;
  const service = {
    view,
    offline: false,
    challenge: {
      challenge_id: 'chl_1',
      moves: ['left', 'up'],
      issued_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    },
    answer: undefined as { status: number; body: object } | undefined,
    bodies: [] as { path: string; body: Record<string, unknown> }[],
    progress: [] as string[],
    /** How often the view was read. */
    views: 0,
    async fetch(url: string, init?: { method?: string; body?: string }) {
      if (service.offline) throw new TypeError('Network request failed');
      if (service.answer) return reply(service.answer.status, service.answer.body);
      const path = new URL(url).pathname;
      const body = init?.body ? JSON.parse(init.body) : {};
      if (path.endsWith('/progress')) {
        service.progress.push(body.abandoned ? 'abandoned' : body.step);
        return reply(204, {});
      }
      if (path.endsWith('/upload-url')) {
        return reply(200, {
          capture_id: 'cap_1',
          image_key: `key ${service.bodies.length}`,
          upload_url: 'https://store.example/1',
          method: 'PUT',
          headers: {},
          expires_at: view.expires_at,
        });
      }
      if (path.endsWith('/challenges')) return reply(201, service.challenge);
      if (init?.method === 'POST' || init?.body) service.bodies.push({ path, body });
      else service.views += 1;
      for (const state of view.step_states) {
        if (path.endsWith('/captures') && state.key === body.step_key && 'captured' in state) state.captured += 1;
        if (path.endsWith('/answers') && 'answered' in state && body.answers[state.key]) state.answered = true;
      }
      return reply(200, view);
    },
  };
  return service;
}

const reply = (status: number, body: object) =>
  new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });

/** A camera of the test's: it is ready when it is told to be. */
export function testCamera(o: { granted?: boolean; ready?: boolean } = {}) {
  const at = {
    granted: o.granted ?? true,
    mounted: 0,
    asked: 0,
    take: async (): Promise<string> => {
      throw new Error('no picture');
    },
    film: undefined as (() => Filming) | undefined,
    ready: () => {},
  };
  const camera: Camera = {
    usePermission: () => ({
      granted: at.granted,
      ask: async () => {
        at.asked += 1;
      },
      reread: async () => {},
    }),
    View({ ref, label, onReady }) {
      useImperativeHandle(ref, () => ({ take: () => at.take(), ...(at.film ? { film: at.film } : {}) }));
      at.ready = onReady;
      // biome-ignore lint/correctness/useExhaustiveDependencies: once for each view
      useEffect(() => {
        at.mounted += 1;
        if (o.ready !== false) at.ready();
      }, []);
      return <View testID="camera" accessible accessibilityLabel={label} />;
    },
  };
  return { camera, at };
}

export async function show(service: Service, props: Partial<FirsthandCaptureProps> = {}) {
  const device = memoryPhone(service);
  const ends: object[] = [];
  const onEnd = (end: object) => ends.push(end);
  const screen = await render(
    <FirsthandCapture
      phone={device.phone}
      token="vfy_test"
      baseUrl="https://photos.example"
      language="en"
      onEnd={onEnd}
      {...props}
    />,
  );
  return { ...device, screen, ends, service };
}

/** Tells every listener of the app's state. */
export function appStates() {
  const listeners = new Set<(state: string) => void>();
  jest.spyOn(AppState, 'addEventListener').mockImplementation((_, listener) => {
    listeners.add(listener as (state: string) => void);
    return { remove: () => listeners.delete(listener as (state: string) => void) } as never;
  });
  return (state: string) => {
    for (const listener of [...listeners]) listener(state);
  };
}
