import type { Bytes, CaptureStore, CaptureView, HeldCapture, HeldSession } from '@firsthand/sdk/capture';
import type { HeldToken, KeyState } from './attest.ts';
import type { Files } from './phone.ts';
import { serial } from './serial.ts';

/** Links stay open for at most a day, so older photos belong to a closed link. */
const STALE_MS = 2 * 86_400_000;

/** A photo's bytes, by the file that holds them. */
export interface FileBytes extends Bytes {
  path: string;
}

/** A photo on the device. `attestation`: made when it was taken, or when it was sent. */
export type Held = HeldCapture<FileBytes> & { attestation?: HeldToken | undefined };

/** What a file says: no path, because the folder moves with updates, and the link's id only as `{token}`. */
type Written = Omit<Held, 'token' | 'bytes' | 'session'> & {
  byteLength: number;
  session?: Omit<HeldSession<FileBytes>, 'trace'> & { byteLength: number };
};

const PICTURE = '.photo';
const FILM = '.film';
const RECORD = '.json';
/** A record that is being written. The rename to its final name is what counts. */
const UNFINISHED = '.json.new';
const ANSWERS = 'answers';
const KEY = 'key';
const VIEW = 'view';

export type Records = ReturnType<typeof openRecords>;

/**
 * What the device holds of one link: for each photo a picture and a record, a file for the answers and one for what the link asks for. Every change is one rename, so a
 * killed app finds the state before or after it. An upload that was cut off is a photo without `imageKey`: it waits.
 */
export function openRecords(files: Files, folder: string, token: string) {
  const oneByOne = serial();
  let swept = false;

  const at = (name: string) => `${folder}/${name}`;
  const write = async (name: string, value: unknown) => {
    await files.writeText(at(name + UNFINISHED), JSON.stringify(value));
    await files.move(at(name + UNFINISHED), at(name + RECORD));
  };
  const read = async <T>(names: readonly string[], name: string): Promise<T | undefined> => {
    if (!names.includes(name + RECORD)) return undefined;
    return parsed<T>(await files.readText(at(name + RECORD)));
  };

  /** The names in the folder, after what a killed app left was put in order. */
  async function names(): Promise<string[]> {
    const found = await files.list(folder);
    if (swept) return found;
    for (const unfinished of found.filter(name => name.endsWith(UNFINISHED))) {
      const name = unfinished.slice(0, -UNFINISHED.length);
      const whole = !found.includes(name + RECORD) && parsed(await files.readText(at(unfinished)));
      await (whole ? files.move(at(unfinished), at(name + RECORD)) : files.remove(at(unfinished)));
    }
    const kept = new Set(await files.list(folder));
    for (const name of kept) {
      const kind = [PICTURE, FILM].find(ending => name.endsWith(ending));
      if (kind && !kept.has(name.slice(0, -kind.length) + RECORD)) await files.remove(at(name));
    }
    swept = true;
    return files.list(folder);
  }

  async function remove(id: string): Promise<void> {
    await files.remove(at(id + RECORD));
    await files.remove(at(id + PICTURE));
    await files.remove(at(id + FILM));
  }

  async function held(): Promise<Held[]> {
    const found = await names();
    const all: Held[] = [];
    for (const name of found.filter(name => name.endsWith(PICTURE)).map(name => name.slice(0, -PICTURE.length))) {
      const written = await read<Written>(found, name);
      if (!written) continue;
      if (Date.parse(written.capturedAt) < Date.now() - STALE_MS) await remove(name);
      else all.push(heldOf(written));
    }
    return all.sort((a, b) => (a.capturedAt < b.capturedAt ? -1 : a.capturedAt > b.capturedAt ? 1 : 0));
  }

  const { heldOf, writtenOf } = codecOf(token, at);
  const put = (held: Held): Promise<void> => write(held.id, writtenOf(held));

  const store: CaptureStore<FileBytes> = {
    durable: true,
    captures: () => oneByOne(held),
    putCapture: capture => oneByOne(() => put(capture)),
    removeCapture: id => oneByOne(() => remove(id)),
    answers: () => oneByOne(async () => (await read<Record<string, string>>(await names(), ANSWERS)) ?? {}),
    putAnswer: ({ key, value }) =>
      oneByOne(async () => {
        const before = await read<Record<string, string>>(await names(), ANSWERS);
        await write(ANSWERS, { ...before, [key]: value });
      }),
    clear: () => oneByOne(() => files.remove(folder)),
  };

  return {
    store,
    captures: (): Promise<Held[]> => oneByOne(held),
    /** Takes the picture in under this id. Until its record is put, it does not count. */
    takePicture: (id: string, uri: string): Promise<string> =>
      oneByOne(async () => {
        await names();
        await files.take(uri, at(id + PICTURE));
        return at(id + PICTURE);
      }),
    /** Keeps the film of a photo whose record is put next. */
    putFilm: (id: string, bytes: ArrayBuffer): Promise<FileBytes> =>
      oneByOne(async () => {
        await files.writeBytes(at(id + FILM), new Uint8Array(bytes));
        return { byteLength: bytes.byteLength, path: at(id + FILM) };
      }),
    /** Changes a photo that is still held. */
    change: (id: string, change: Partial<Held>): Promise<void> =>
      oneByOne(async () => {
        const written = await read<Written>(await names(), id);
        if (written) await put({ ...heldOf(written), ...change });
      }),
    /** The verification as the service last showed it. */
    view: (): Promise<CaptureView | undefined> =>
      oneByOne(async () => {
        const text = (await read<{ view: string }>(await names(), VIEW))?.view;
        return text === undefined ? undefined : parsed(text.replaceAll('{token}', () => token));
      }),
    putView: (view: CaptureView): Promise<void> =>
      oneByOne(() => write(VIEW, { view: JSON.stringify(view).replaceAll(token, () => '{token}') })),
    key: (): Promise<KeyState | undefined> => oneByOne(async () => read<KeyState>(await names(), KEY)),
    putKey: (key: KeyState): Promise<void> => oneByOne(() => write(KEY, key)),
    changeKey: (keyId: string, change: (key: KeyState) => KeyState): Promise<void> =>
      oneByOne(async () => {
        const key = await read<KeyState>(await names(), KEY);
        if (key?.keyId === keyId) await write(KEY, change(key));
      }),
  };
}

/** A photo as its record says it, and back. */
function codecOf(token: string, at: (name: string) => string) {
  const withToken = (key: string) => key.replace('{token}', () => token);
  const withoutToken = (key: string) => key.replace(token, () => '{token}');
  return {
    heldOf({ byteLength, imageKey, session, ...rest }: Written): Held {
      const held: Held = { ...rest, token, bytes: { byteLength, path: at(rest.id + PICTURE) } };
      if (imageKey !== undefined) held.imageKey = withToken(imageKey);
      if (session) {
        const { byteLength, traceKey, ...film } = session;
        held.session = { ...film, trace: { byteLength, path: at(rest.id + FILM) } };
        if (traceKey !== undefined) held.session.traceKey = withToken(traceKey);
      }
      return held;
    },
    writtenOf({ token: _, bytes, imageKey, session, ...rest }: Held): Written {
      const written: Written = { ...rest, byteLength: bytes.byteLength };
      if (imageKey !== undefined) written.imageKey = withoutToken(imageKey);
      if (session) {
        const { trace, traceKey, ...film } = session;
        written.session = { ...film, byteLength: trace.byteLength };
        if (traceKey !== undefined) written.session.traceKey = withoutToken(traceKey);
      }
      return written;
    },
  };
}

/** Undefined for what is not whole. */
function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
