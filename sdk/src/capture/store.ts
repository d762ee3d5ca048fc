import { type DBSchema, type IDBPDatabase, type IDBPObjectStore, openDB } from 'idb';
import type { DeviceLocation } from './wire.ts';

/** A photo's bytes as a store hands them out: an `ArrayBuffer` in a browser; in an app it may be a file, which only its `Put` reads. */
export type Bytes = { readonly byteLength: number };

/** One picture held on the device. Its `id` is always the idempotency key of its submission. */
export type HeldCapture<B extends Bytes = ArrayBuffer> = {
  id: string;
  token: string;
  stepKey: string;
  bytes: B;
  contentType: string;
  sha256: string;
  /** `web` for the live camera, `web_file` for a chosen file. */
  surface: string;
  /** ISO 8601, by the device's clock. */
  capturedAt: string;
  location?: DeviceLocation;
  /** JPEG taken after a small sideways move, for the depth signal. */
  motionFrame?: ArrayBuffer;
  /** The camera session that was filmed with the photo. */
  session?: HeldSession<B>;
  /** Set when the service has the bytes. The submission may still be outstanding. */
  imageKey?: string;
};

/** A challenge and the trace that answers it: the file that `traceBlob` makes. */
export type HeldSession<B extends Bytes = ArrayBuffer> = {
  challengeId: string;
  trace: B;
  traceSha256: string;
  /** Set when the service has the trace. */
  traceKey?: string;
};

export type HeldAnswer = { token: string; key: string; value: string };

/** Links stay open for at most a day, so older captures belong to a closed link. */
const STALE_MS = 2 * 86_400_000;

/** Photos and answers by verification, kept across a reload. The page deletes each when the service has it. */
export type CaptureStore<B extends Bytes = ArrayBuffer> = {
  /** Whether held data outlives the page; false when the browser refuses storage (private windows, a full disk). */
  readonly durable: boolean;
  captures(token: string): Promise<HeldCapture<B>[]>;
  putCapture(capture: HeldCapture<B>): Promise<void>;
  removeCapture(id: string): Promise<void>;
  answers(token: string): Promise<Record<string, string>>;
  putAnswer(answer: HeldAnswer): Promise<void>;
  /** Erases all data of a verification. */
  clear(token: string): Promise<void>;
};

const byTime = (a: HeldCapture, b: HeldCapture) =>
  a.capturedAt < b.capturedAt ? -1 : a.capturedAt > b.capturedAt ? 1 : 0;

export function memoryStore(): CaptureStore {
  const captures = new Map<string, HeldCapture>();
  const answers = new Map<string, HeldAnswer>();
  return {
    durable: false,
    captures: async token => [...captures.values()].filter(capture => capture.token === token).sort(byTime),
    putCapture: async capture => {
      captures.set(capture.id, { ...capture });
    },
    removeCapture: async id => {
      captures.delete(id);
    },
    answers: async token =>
      Object.fromEntries([...answers.values()].filter(a => a.token === token).map(a => [a.key, a.value])),
    putAnswer: async answer => {
      answers.set(`${answer.token}/${answer.key}`, answer);
    },
    clear: async token => {
      for (const capture of captures.values()) if (capture.token === token) captures.delete(capture.id);
      for (const [key, answer] of answers) if (answer.token === token) answers.delete(key);
    },
  };
}

type Table = 'captures' | 'answers';

interface Schema extends DBSchema {
  captures: { key: string; value: HeldCapture; indexes: { token: string } };
  answers: { key: [string, string]; value: HeldAnswer & { heldAt: string }; indexes: { token: string } };
}

type Rows<T extends Table> = IDBPObjectStore<Schema, [T], T, 'readwrite'>;

type Database = IDBPDatabase<Schema>;

/**
 * Opens the store in IndexedDB. Keeps pictures as ArrayBuffers, because stored blobs become unreadable in some versions
 * of Safari. If the browser refuses storage, the memory store replaces it and `durable` is false.
 */
export async function openStore(name = 'firsthand-capture'): Promise<CaptureStore> {
  try {
    const tables = tablesOf(await connect(name), () => connect(name));
    dropStale(tables);
    return indexedStore(tables);
  } catch {
    return memoryStore();
  }
}

const connect = (name: string): Promise<Database> =>
  openDB<Schema>(name, 1, {
    upgrade(created) {
      created.createObjectStore('captures', { keyPath: 'id' }).createIndex('token', 'token');
      created.createObjectStore('answers', { keyPath: ['token', 'key'] }).createIndex('token', 'token');
    },
    // Another tab may hold a newer version of the page: let it upgrade.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  });

type Tables = ReturnType<typeof tablesOf>;

/** Reads and writes the tables. After a phone slept, its connection to the database is cut: `reconnect` opens it again. */
function tablesOf(opened: Database, reconnect: () => Promise<Database>) {
  let db = opened;
  const connected = async <T>(action: (db: Database) => Promise<T>): Promise<T> => {
    try {
      return await action(db);
    } catch (error) {
      if ((error as DOMException).name === 'QuotaExceededError') throw error;
      db = await reconnect();
      return action(db);
    }
  };
  return {
    captures: (token: string) => connected(open => open.getAllFromIndex('captures', 'token', token)),
    answers: (token: string) => connected(open => open.getAllFromIndex('answers', 'token', token)),
    write: <T extends Table>(table: T, action: (rows: Rows<T>) => Promise<unknown>): Promise<void> =>
      connected(async open => {
        // 'strict': acknowledges only when the data is on disk, because the page then says "your photo is saved".
        const transaction = open.transaction(table, 'readwrite', { durability: 'strict' });
        await Promise.all([action(transaction.store), transaction.done]);
      }),
  };
}

/** Deletes the data of closed links. Best effort: the next visit tries again. */
function dropStale({ write }: Tables): void {
  const before = new Date(Date.now() - STALE_MS).toISOString();
  void write('captures', async rows => {
    for await (const row of rows) if (row.value.capturedAt < before) await row.delete();
  }).catch(() => {});
  void write('answers', async rows => {
    for await (const row of rows) if (row.value.heldAt < before) await row.delete();
  }).catch(() => {});
}

function indexedStore(tables: Tables): CaptureStore {
  // Holds single captures when the disk is full: in this page only is better than not at all.
  const memory = memoryStore();
  let durable = true;
  const writeOr = (stored: Promise<void>, instead: () => Promise<void>): Promise<void> =>
    stored.catch(() => {
      durable = false;
      return instead();
    });

  return {
    get durable() {
      return durable;
    },
    captures: async token => [...(await tables.captures(token)), ...(await memory.captures(token))].sort(byTime),
    putCapture: capture =>
      writeOr(
        tables.write('captures', rows => rows.put(capture)),
        () => memory.putCapture(capture),
      ),
    removeCapture: async id => {
      await memory.removeCapture(id);
      await tables.write('captures', rows => rows.delete(id));
    },
    answers: async token => ({
      ...Object.fromEntries((await tables.answers(token)).map(answer => [answer.key, answer.value])),
      ...(await memory.answers(token)),
    }),
    putAnswer: answer =>
      writeOr(
        tables.write('answers', rows => rows.put({ ...answer, heldAt: new Date().toISOString() })),
        () => memory.putAnswer(answer),
      ),
    clear: async token => {
      await memory.clear(token);
      const held = await tables.captures(token);
      const answers = await tables.answers(token);
      await tables.write('captures', rows => Promise.all(held.map(({ id }) => rows.delete(id))));
      await tables.write('answers', rows => Promise.all(answers.map(({ key }) => rows.delete([token, key]))));
    },
  };
}
