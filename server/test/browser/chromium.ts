import { execFile } from 'node:child_process';
import { accessSync, constants, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import sharp from 'sharp';

export type Chromium = {
  executablePath: string;
  args: string[];
  env: Record<string, string>;
  /** A headless shell has no permission prompt of its own: without a fake one its camera is not supported. */
  shell: boolean;
};

/** Flags that keep a headless Chromium quiet, small and off the network, for root and ordinary users. */
const QUIET_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const run = promisify(execFile);
const environment = () => process.env as Record<string, string>;

/**
 * A Chromium that runs here: `CHROMIUM_PATH`, else the one inside the npm package `@sparticuz/chromium` (Linux on x64), which needs neither
 * a package manager nor root, else one of the system's. The package's is a headless shell: a whole Chromium takes ten times its processor
 * time for the window around each page. `installed`: one of the system's before that of the package.
 *
 * @throws when there is none, saying what to install.
 */
export async function findChromium(installed = false): Promise<Chromium> {
  const own = process.env.CHROMIUM_PATH;
  if (own && !existsSync(own)) throw new Error(`CHROMIUM_PATH names no file: ${own}`);
  const system = own ?? onPath(SYSTEM_NAMES);
  const found = system && { executablePath: system, args: QUIET_ARGS, env: environment(), shell: false };
  if (found && (own || installed)) return found;
  return bundledChromium().catch(error => {
    if (found) return found;
    throw error;
  });
}

/** The first of these programs that the PATH holds. */
export function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').filter(Boolean);
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The Chromium of the npm package, unpacked once for each version: beside the package, or where that is read-only, for each user. */
async function bundledChromium(): Promise<Chromium> {
  const packed = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '../../bin');
  const { version } = JSON.parse(await readFile(join(packed, '../package.json'), 'utf8')) as { version: string };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('No Chromium found. Install Chromium or Google Chrome, or set CHROMIUM_PATH.');
  }
  const cache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache');
  const folder = await mkdir(cache, { recursive: true })
    .then(() => access(cache, constants.W_OK))
    .then(
      () => join(cache, `chromium-${version}`),
      () => join(tmpdir(), `firsthand-chromium-${version}-${userInfo().uid}`),
    );
  if (!existsSync(folder)) await unpack(packed, folder);

  const executablePath = join(folder, 'chromium');
  const args = [
    ...QUIET_ARGS,
    '--headless=shell',
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
  ];
  const env = { ...environment() };
  // Without fonts of the system's, those of the package: else every letter is an empty box.
  if (!existsSync('/etc/fonts/fonts.conf')) env.FONTCONFIG_PATH = join(folder, 'fonts');
  const starts = (candidate: Record<string, string>) =>
    run(executablePath, ['--version'], { env: candidate }).then(
      () => true,
      () => false,
    );
  if (await starts(env)) return { executablePath, args, env, shell: true };
  // Shared libraries are missing: the package carries the ones that a bare system lacks.
  env.LD_LIBRARY_PATH = [join(folder, 'al2023/lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  if (await starts(env)) return { executablePath, args, env, shell: true };
  throw new Error('The bundled Chromium does not start on this system. Install Chromium, or set CHROMIUM_PATH.');
}

/** Unpacks beside the destination and moves it there whole, so that two test runs at once cannot see half of it. */
async function unpack(packed: string, folder: string): Promise<void> {
  const partial = await mkdtemp(`${folder}-`);
  await pipeline(
    createReadStream(join(packed, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(join(partial, 'chromium')),
  );
  await chmod(join(partial, 'chromium'), 0o755);
  await untar(join(packed, 'swiftshader.tar.br'), partial);
  await untar(join(packed, 'fonts.tar.br'), join(partial, 'fonts'));
  await untar(join(packed, 'al2023.tar.br'), join(partial, 'al2023'));
  const fonts = join(folder, 'fonts');
  await writeFile(
    join(partial, 'fonts/fonts.conf'),
    `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><cachedir>${fonts}/cache</cachedir></fontconfig>`,
  );
  await rename(partial, folder).catch(async error => {
    await rm(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}

async function untar(archive: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const plain = join(into, 'archive.tar');
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(plain));
  await run('tar', ['-xf', plain, '-C', into]);
  await rm(plain);
}

/**
 * Launches Chromium with a camera that plays `cameraFile` (from `cameraFileOf`); without one, a machine without camera. The
 * camera is allowed when a page asks, unless `asks`: then the permission decides (`setCameraPermission` of phone.ts).
 */
export async function launchChromium(
  cameraFile?: string,
  o: { asks?: boolean; args?: string[] } = {},
): Promise<Browser> {
  const { executablePath, args, env, shell } = await findChromium();
  const camera = cameraFile
    ? ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${cameraFile}`]
    : [];
  const prompt = cameraFile && (!o.asks || shell) ? ['--use-fake-ui-for-media-stream'] : [];
  return chromium.launch({ executablePath, env, args: [...args, ...camera, ...prompt, ...(o.args ?? [])] });
}

/**
 * Writes pictures, one after another, as the endless film (motion JPEG) that Chromium's fake camera plays in a loop. All
 * frames take the first one's size, even numbers as the camera wants them.
 *
 * @param pictures encoded images (anything sharp reads)
 * @param repeat how many frames each picture stays
 */
export async function cameraFileOf(path: string, pictures: readonly Uint8Array[], repeat = 1): Promise<string> {
  const { width, height } = await sharp(pictures[0]).metadata();
  const size = { width: width - (width % 2), height: height - (height % 2), fit: 'cover' as const };
  const frames = await Promise.all(
    pictures.map(picture => sharp(picture).resize(size).jpeg({ quality: 92, chromaSubsampling: '4:2:0' }).toBuffer()),
  );
  await writeFile(path, Buffer.concat(frames.flatMap(frame => Array.from({ length: repeat }, () => frame))));
  return path;
}
