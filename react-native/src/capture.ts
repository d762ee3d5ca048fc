import { checkHead } from '@firsthand/capture/files.ts';
import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { SIZE_BYTES } from '@firsthand/contract/capture/picture-size.ts';
import {
  type CaptureView,
  createCaptureClient,
  type DeviceLocation,
  NetworkError,
  type ProgressReport,
  type SendProgress,
  type SendResult,
  type Step,
  sendHeld,
} from '@firsthand/sdk/capture';
import { codeOf, counts, createAttester, noteSent, RETRY_AFTER_MS, signedText } from './attest.ts';
import { asciiOf, hexOf } from './codes.ts';
import { announce, type Film, type FilmChallenge, fileOf } from './film.ts';
import type { Phone } from './phone.ts';
import { putFrom } from './put.ts';
import { type FileBytes, type Held, openRecords, type Records } from './records.ts';
import { serial } from './serial.ts';

export type PhotoStep = Exclude<Step, { type: 'text' }>;

/** A link to capture with: the id of the verification, and the service's address without a trailing slash. */
export interface Link {
  token: string;
  baseUrl: string;
}

/** A photo on the device, which the service does not have yet. */
export interface HeldPhoto {
  id: string;
  stepKey: string;
  /** Where the picture is now. Show it; do not keep it: an update of the app moves it. */
  uri: string;
  bytes: number;
  contentType: string;
  sha256: string;
  capturedAt: string;
  /** `waiting`: it is being made, or made again when the photo is sent. `none`: it failed, and `reason` says why. */
  attestation: 'made' | 'waiting' | 'none';
  reason?: string;
  /** A film goes with it. False also for a film that the service would not take, such as one of too few frames. */
  filmed: boolean;
}

/** Why the service would not take a file: its type, its size, no bytes at all, or too many megapixels. */
export type PhotoFault = 'file.type' | 'file.size' | 'file.empty' | 'file.pixels';

/** The service would not take this file. */
export class PhotoRefused extends Error {
  readonly fault: PhotoFault;
  readonly megapixels: number | undefined;

  constructor(fault: PhotoFault, megapixels?: number) {
    super(`The service takes no such file: ${fault}`);
    this.name = 'PhotoRefused';
    this.fault = fault;
    this.megapixels = megapixels;
  }
}

export interface AddOptions {
  /** The camera's file, unless you say `file`. */
  from?: 'camera' | 'file';
  capturedAt?: Date;
  location?: DeviceLocation;
  /** What was filmed right after the photo, for a challenge of `challenge`. */
  film?: Film | undefined;
}

export interface SendHeldOptions {
  onProgress?: (progress: SendProgress) => void;
  /** Stops sending. What is held stays held. */
  signal?: AbortSignal;
}

export type Capture = ReturnType<typeof makeCapture>;

type Attester = ReturnType<typeof createAttester>;
interface App {
  attester: Attester;
  /** By folder: two views of one link share its queue. */
  open: Map<string, Capture>;
}
const apps = new WeakMap<Phone, App>();

function appOf(phone: Phone): App {
  const known = apps.get(phone);
  if (known) return known;
  const attester = createAttester({
    integrity: () => phone.integrity(),
    sha256: text => phone.sha256(asciiOf(text)),
  });
  const app = { attester, open: new Map<string, Capture>() };
  apps.set(phone, app);
  return app;
}

/** The folder of a link. Its name tells nothing about the link's secret. */
const folderOf = async (phone: Phone, token: string) =>
  hexOf(await phone.sha256(asciiOf(`firsthand ${token}`))).slice(0, 32);
const secretOf = (folder: string) => `firsthand.link.${folder}`;

/** The capture of one link on this phone. Whatever an earlier run of the app left of it is there again. */
export async function openCapture(phone: Phone, link: Link): Promise<Capture> {
  const app = appOf(phone);
  const folder = await folderOf(phone, link.token);
  const known = app.open.get(folder) ?? makeCapture(phone, app.attester, folder, link);
  app.open.set(folder, known);
  return known;
}

/**
 * The links of which the phone still holds something, so that a new run of the app can send it. Rejects where the storage cannot be read,
 * for instance while the phone is locked: try again when the app is in front.
 */
export async function heldLinks(phone: Phone): Promise<Link[]> {
  const links: Link[] = [];
  for (const folder of await phone.files.list('')) {
    const kept = await phone.secrets.get(secretOf(folder));
    if (kept !== null) {
      const link = JSON.parse(kept) as Link;
      const capture = await openCapture(phone, link);
      if ((await capture.photos()).length > 0 || Object.keys(await capture.answers()).length > 0) links.push(link);
      else await capture.forget();
    } else if (!appOf(phone).open.has(folder)) {
      // A backup brought the photos back without the secret. The person may open the link again, until it is too old.
      const left = await openRecords(phone.files, folder, '').captures();
      if (left.length === 0) await phone.files.remove(folder);
    }
  }
  return links;
}

function makeCapture(phone: Phone, attester: Attester, folder: string, link: Link) {
  const { token, baseUrl } = link;
  const records = openRecords(phone.files, folder, token);
  const client = createCaptureClient({ token, baseUrl, ...(phone.fetch ? { fetch: phone.fetch } : {}) });
  const attesting = createAttesting(records, attester, token);
  const sending = serial();
  const viewing = createViewing(client, records);
  const keepLink = async () => {
    await phone.secrets.set(secretOf(folder), JSON.stringify(link));
    await viewing.keep();
  };
  const store = {
    ...records.store,
    clear: async () => {
      await records.store.clear(token);
      await phone.secrets.remove(secretOf(folder));
    },
  };
  const sender = {
    ...client,
    submit: async (...request: Parameters<typeof client.submit>) => {
      const view = viewing.note(await client.submit(...request));
      await attesting.sent(request[1]);
      return view;
    },
  };

  return {
    token,
    /**
     * The verification as the person may see it. Without a network it is as the service last showed it, if the phone still holds something of
     * the link.
     */
    view: (): Promise<CaptureView> => viewing.view(),

    /** Tells the service where the person is. Best effort. */
    progress: (report: ProgressReport): Promise<void> => client.progress(report).catch(() => {}),

    /**
     * Asks at the shutter for the moves of a film. Undefined where the view does not want one of this step, and where none can be had: the photo
     * goes without. A challenge holds for one photo, and asking again ends the one before.
     */
    challenge: (step: PhotoStep): Promise<FilmChallenge | undefined> => viewing.challenge(step),

    /**
     * Moves a picture into the app's documents and keeps it for the step. When this resolves, a killed app still has it. Its attestation is
     * made in the background. Rejects with {@link PhotoRefused} for a file that the service would not take.
     */
    async add(step: PhotoStep, uri: string, o: AddOptions = {}): Promise<HeldPhoto> {
      const id = phone.randomId();
      await keepLink();
      const path = await records.takePicture(id, uri);
      const { byteLength, contentType, sha256 } = await checked(phone, step, path);
      const held: Held = {
        id,
        token,
        stepKey: step.key,
        bytes: { byteLength, path },
        contentType,
        sha256,
        surface: step.type === 'upload' || o.from === 'file' ? 'app_file' : 'app',
        capturedAt: (o.capturedAt ?? new Date()).toISOString(),
        ...(o.location ? { location: o.location } : {}),
      };
      // A photo is never held back for its film.
      const session = o.film && (await keepFilm({ phone, client, records }, held, o.film).catch(() => undefined));
      if (session) held.session = session;
      await records.store.putCapture(held);
      attesting.start(held);
      return photoOf(held);
    },

    photos: async (): Promise<HeldPhoto[]> => (await records.captures()).map(photoOf),
    /** Forgets a photo that was not sent. */
    remove: (id: string): Promise<void> => records.store.removeCapture(id),
    answers: (): Promise<Record<string, string>> => records.store.answers(token),
    setAnswer: async (key: string, value: string): Promise<void> => {
      await keepLink();
      await records.store.putAnswer({ token, key, value });
    },
    /** Erases everything that the phone holds of the link. */
    forget: (): Promise<void> => store.clear(),
    /** Resolves when the attestations that were begun have ended. Sending waits for them by itself. */
    attested: (): Promise<void> => attesting.ended(),

    /**
     * Sends everything that is held, and goes on by itself while the network is away. After a killed app, call it again. One call at a time
     * works; a second one waits. Rejects as `sendHeld` of `@firsthand/sdk/capture` does.
     */
    send: ({ onProgress, signal }: SendHeldOptions = {}): Promise<SendResult> =>
      sending(() =>
        sendHeld<FileBytes>({
          client: sender,
          store,
          put: putFrom(phone.files),
          pause: (ms, stopped) => pauseUntilReturn(phone, ms, stopped),
          attestation: held => attesting.tokenOf(held),
          ...(onProgress ? { onProgress } : {}),
          ...(signal ? { signal } : {}),
        }),
      ),
  };

  function photoOf(held: Held): HeldPhoto {
    const { id, stepKey, bytes, contentType, sha256, capturedAt, attestation, session } = held;
    const reason = attesting.reasonOf(id);
    return {
      id,
      stepKey,
      uri: phone.files.uriOf(bytes.path),
      bytes: bytes.byteLength,
      contentType,
      sha256,
      capturedAt,
      filmed: session !== undefined,
      attestation: attestation ? 'made' : reason === undefined ? 'waiting' : 'none',
      ...(attestation || reason === undefined ? {} : { reason }),
    };
  }
}

type Client = ReturnType<typeof createCaptureClient>;

/** What the link asks for, as the service last showed it. */
function createViewing(client: Client, records: Records) {
  let seen: CaptureView | undefined;
  return {
    note(view: CaptureView): CaptureView {
      seen = view;
      return view;
    },
    /** Keeps it on the phone, for a start without a network. */
    async keep(): Promise<void> {
      if (seen) await records.putView(seen);
    },
    async view(): Promise<CaptureView> {
      try {
        seen = await client.view();
      } catch (error) {
        const kept = error instanceof NetworkError ? await records.view() : undefined;
        if (!kept || Date.parse(kept.expires_at) <= Date.now()) throw error;
        return kept;
      }
      if ((await records.captures()).length > 0) await records.putView(seen);
      return seen;
    },
    async challenge(step: PhotoStep): Promise<FilmChallenge | undefined> {
      const state = seen?.step_states.find(({ key }) => key === step.key);
      const flat = state !== undefined && 'motion_frame' in state && state.motion_frame === false;
      if (!seen?.requires.motion_frame || flat) return undefined;
      const made = await client.createChallenge({ step_key: step.key }).catch(() => undefined);
      if (!made) return undefined;
      const { challenge_id: id, moves, issued_at: issuedAt, expires_at: expiresAt } = made;
      return { id, moves, issuedAt, expiresAt, arrivedAt: performance.now() };
    },
  };
}

/** Reads a file that was taken in. Removes it and rejects if the service would not take it. */
async function checked(phone: Phone, step: PhotoStep, path: string) {
  const bytes = await phone.files.readBytes(path);
  const upload = step.type === 'upload';
  const found = checkHead(
    bytes.length,
    bytes.subarray(0, SIZE_BYTES),
    upload ? step.accept : LIVE_IMAGE_TYPES,
    upload ? step.max_size_bytes : undefined,
  );
  if ('fault' in found) {
    await phone.files.remove(path);
    throw new PhotoRefused(found.fault, found.megapixels);
  }
  const { contentType } = found;
  return { byteLength: bytes.length, contentType, sha256: hexOf(await phone.sha256(bytes)) };
}

/** Keeps the film on the phone, and tells the service of it. */
async function keepFilm(
  { phone, client, records }: { phone: Phone; client: Client; records: Records },
  { id, sha256 }: Held,
  film: Film,
): Promise<NonNullable<Held['session']>> {
  const file = fileOf(film);
  const traceSha256 = hexOf(await phone.sha256(new Uint8Array(file)));
  const { id: challengeId, expiresAt } = film.challenge;
  const tell = () =>
    client.announceFilm({ challenge_id: challengeId, image_sha256: sha256, trace_sha256: traceSha256 });
  void announce(tell, expiresAt, ms => pauseUntilReturn(phone, ms));
  return { challengeId, traceSha256, trace: await records.putFilm(id, file) };
}

/** Attests the photos of a link: when each is taken, and again when it is sent if the service would not count that token any more. */
function createAttesting(records: Records, attester: Attester, token: string) {
  const running = new Map<string, Promise<void>>();
  const reasons = new Map<string, string>();
  const heldBy = async (id: string) => (await records.captures()).find(held => held.id === id);
  const askFor = ({ id, sha256 }: Pick<Held, 'id' | 'sha256'>) => ({
    text: signedText(token, sha256),
    keys: records,
    keep: async (attestation: NonNullable<Held['attestation']>) => {
      reasons.delete(id);
      await records.change(id, { attestation });
    },
  });
  const failed = (id: string) => (error: unknown) => {
    reasons.set(id, codeOf(error));
    return undefined;
  };

  return {
    reasonOf: (id: string) => reasons.get(id),
    ended: async () => {
      // Not the iterator: Hermes’ own Promise.all took it for an empty list (0.12).
      await Promise.all([...running.values()]);
    },
    start(held: Held): void {
      const mayAssert = async ({ keyId }: { keyId: string }) =>
        // The photo with the key's attestation is still to be sent, or was sent before or while we looked.
        (await records.captures()).some(({ attestation: made }) => made?.keyId === keyId && made.order === 0) ||
        (await records.key())?.registered === true;
      const made = attester
        .attest({ ...askFor(held), mayAssert, waitsMs: RETRY_AFTER_MS })
        .then(() => {}, failed(held.id))
        .finally(() => running.delete(held.id));
      running.set(held.id, made);
    },
    async tokenOf(held: Pick<Held, 'id' | 'sha256'>): Promise<string | undefined> {
      await running.get(held.id);
      const made = (await heldBy(held.id))?.attestation;
      if (made && counts(made, await records.key())) return made.token;
      const again = { ...askFor(held), mayAssert: (key: { registered: boolean }) => key.registered, waitsMs: [] };
      return (await attester.attest(again).catch(failed(held.id)))?.token;
    },
    async sent(id: string): Promise<void> {
      const made = (await heldBy(id))?.attestation;
      if (made) await noteSent(records, made);
    },
  };
}

/** Waits for the delay, or until the app comes to the front. */
function pauseUntilReturn(phone: Phone, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stopListening = phone.onReturn(done);
    signal?.addEventListener('abort', done);
  });
}
