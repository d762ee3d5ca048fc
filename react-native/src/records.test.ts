import { expect, test } from 'vitest';
import type { Files } from './phone.ts';
import { type Held, openRecords } from './records.ts';

/** A disk in memory, which may be locked. */
function diskOf(files: Record<string, string> = {}) {
  const disk = { files, locked: false };
  const unlocked = () => {
    if (disk.locked) throw new Error('the file is protected');
  };
  const api: Files = {
    list: async folder => {
      unlocked();
      return Object.keys(disk.files)
        .filter(path => path.startsWith(`${folder}/`))
        .map(path => path.slice(folder.length + 1));
    },
    readText: async path => disk.files[path] ?? '',
    writeText: async (path, text) => {
      disk.files[path] = text;
    },
    readBytes: async () => new Uint8Array(),
    move: async (from, to) => {
      disk.files[to] = disk.files[from] ?? '';
      delete disk.files[from];
    },
    take: async (uri, path) => {
      disk.files[path] = uri;
    },
    remove: async path => {
      for (const name of Object.keys(disk.files))
        if (name === path || name.startsWith(`${path}/`)) delete disk.files[name];
    },
    uriOf: path => path,
    upload: async () => 200,
  };
  return { disk, api };
}

const NOW = new Date().toISOString();
const held = (id: string, more: Partial<Held> = {}): Held => ({
  id,
  token: 'vfy_secret',
  stepKey: 'front',
  bytes: { byteLength: 3, path: `f/${id}.photo` },
  contentType: 'image/jpeg',
  sha256: '00',
  surface: 'app',
  capturedAt: NOW,
  ...more,
});

test('openRecords rejects where the storage cannot be read, and finds the photos when it can', async () => {
  const { disk, api } = diskOf();
  const before = openRecords(api, 'f', 'vfy_secret');
  await before.takePicture('a', 'picture');
  await before.store.putCapture(held('a'));
  disk.locked = true;
  const after = openRecords(api, 'f', 'vfy_secret');
  await expect(after.captures()).rejects.toThrow('protected');
  disk.locked = false;
  expect(await after.captures()).toEqual([held('a')]);
});

test('openRecords writes the link’s id nowhere, not even within an image_key', async () => {
  const { disk, api } = diskOf();
  const records = openRecords(api, 'f', 'vfy_secret');
  await records.takePicture('a', 'picture');
  await records.store.putCapture(held('a', { imageKey: 'captures/vfy_secret/cap_1' }));
  expect(JSON.stringify(disk.files)).not.toContain('vfy_secret');
  expect(await records.captures()).toMatchObject([{ imageKey: 'captures/vfy_secret/cap_1', token: 'vfy_secret' }]);
});

test('openRecords drops photos older than two days, pictures without a record, and halves of records', async () => {
  const { disk, api } = diskOf({ 'f/orphan.photo': 'x', 'f/half.json.new': '{"id":"ha', 'f/half.photo': 'x' });
  const records = openRecords(api, 'f', 'vfy_secret');
  await records.takePicture('old', 'picture');
  await records.store.putCapture(held('old', { capturedAt: new Date(Date.now() - 3 * 86_400_000).toISOString() }));
  expect(await records.captures()).toEqual([]);
  expect(disk.files).toEqual({});
});

test('openRecords finishes a rename that a killed app had begun', async () => {
  const first = diskOf();
  const records = openRecords(first.api, 'f', 'vfy_secret');
  await records.takePicture('a', 'picture');
  await records.store.putCapture(held('a'));
  const { 'f/a.json': record = '', ...rest } = first.disk.files;
  const { api } = diskOf({ ...rest, 'f/a.json.new': record });
  expect(await openRecords(api, 'f', 'vfy_secret').captures()).toEqual([held('a')]);
});
