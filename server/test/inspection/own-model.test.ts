import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdapter } from '../../../examples/ai-adapter/adapter.ts';
import { meanModel } from '../../../forensics/test/onnx.ts';
import { completedVerification } from '../support/completed.ts';
import { bodyOf, openServer } from '../support/local-server.ts';
import { plain } from '../support/pictures.ts';
import { runHere } from '../support/run-here.ts';
import { serviceOfSuite } from '../support/suite.ts';

/** Sightengine's `check.json` for one model: a picture is as generated as it is red. */
const detector = {
  down: false,
  asked: [] as string[],
  async answer(request: Request): Promise<Response> {
    const form = await request.formData();
    const media = form.get('media') as File;
    const said = ['models', 'api_user', 'api_secret'].map(name => form.get(name)).join(' ');
    detector.asked.push(`${new URL(request.url).pathname} ${media.type} ${said}`);
    if (detector.down) return Response.json({ status: 'failure', error: { type: 'internal' } }, { status: 500 });
    const { channels } = await sharp(Buffer.from(await media.arrayBuffer())).stats();
    return Response.json({
      status: 'success',
      request: { id: 'req_1' },
      type: { ai_generated: channels[0]!.mean / 255 },
      media: { id: 'med_1' },
    });
  },
};

/** Starts before the service reads its settings. */
const folder = await mkdtemp(join(tmpdir(), 'fh-own-model-'));
const pictures = join(folder, 'genuine');
const sightengine = await openServer(async (request, response) => {
  const answer = await detector.answer(
    new Request(`http://localhost${request.url}`, {
      method: 'POST',
      headers: { 'content-type': request.headers['content-type']! },
      body: new Uint8Array(await bodyOf(request)),
    }),
  );
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(await answer.text());
});
const openAdapter = async (version?: string) => {
  const options = {
    user: 'u',
    secret: 's',
    token: 'adapter-token',
    api: sightengine.url,
    ...(version ? { version } : {}),
  };
  const server = createAdapter(options).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  return server;
};
let adapter = await openAdapter();
const { port } = adapter.address() as AddressInfo;
const manifest = join(folder, 'hosted.json');
await writeFile(manifest, JSON.stringify({ name: 'hosted detector', url: `http://127.0.0.1:${port}/` }));
const onnx = join(folder, 'published');
const env = {
  AI_MODEL: manifest,
  AI_MODEL_TOKEN: 'adapter-token',
  ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
};

const grey = (red: number, size = 64) =>
  sharp({ create: { width: size, height: size, channels: 3, background: { r: red, g: 90, b: 90 } } })
    .jpeg()
    .toBuffer();

describe('AI_MODEL', () => {
  const service = serviceOfSuite({ env });
  beforeAll(async () => {
    await mkdir(pictures);
    for (let n = 0; n < 99; n += 1) await writeFile(join(pictures, `${n}.jpg`), await grey(n));
    await writeFile(join(pictures, 'broken.jpg'), 'no picture');
  });
  afterAll(async () => {
    adapter.closeAllConnections();
    await new Promise(resolve => adapter.close(resolve));
    await sightengine.close();
    await rm(folder, { recursive: true, force: true });
  });

  const command = (...args: string[]) =>
    runHere(args, {
      ...env,
      DATA_DIR: service.deps.config.dataDir,
      DATABASE_URL: service.deps.config.databaseUrl ?? '',
    });
  const photo = (red: number) => plain({ width: 1280, height: 960, colour: `rgb(${red}, 90, 90)` });
  const judged = async (red: number, request: object = {}): Promise<Verification> =>
    completedVerification(service, {
      request: { signals_required: ['ai'], ...request },
      photo: await photo(red),
      key: service.tenant.pk_live,
    });
  const modelSaid = ({ captures }: Verification) =>
    (
      captures[0]!.signals!.ai_detection as unknown as { evidence: { source: string; field: string; value: string }[] }
    ).evidence.filter(({ source }) => source === 'model');

  it('without a calibration changes no verdict, and the evidence and doctor say what to run', async () => {
    const done = await judged(250);
    expect(done.verdict?.label).toBe('verified');
    expect(modelSaid(done)).toEqual([
      { source: 'model', field: 'fault', value: expect.stringContaining('run: firsthand calibrate FOLDER') },
    ]);
    const { out } = await command('doctor', '--json');
    expect(out).toContain('hosted.calibration.json: there is no readable calibration');
  });

  it('calibrate scores a folder by the service, in the detector’s own protocol, and doctor is content', async () => {
    detector.asked.length = 0;
    const { code, out, err } = await command('calibrate', pictures, '--model', manifest);
    expect([code, err]).toEqual([0, expect.stringContaining('broken.jpg: skipped')]);
    expect(JSON.parse(out)).toMatchObject({ model: 'hosted detector', genuine: 99 });
    expect([...new Set(detector.asked)]).toEqual(['/1.0/check.json image/jpeg genai u s']);
    expect((await command('doctor', '--json')).out).toContain('hosted detector, calibrated on 99 genuine pictures');
  });

  it('makes a photo doubtful that scores above all genuine ones, and leaves others as they are', async () => {
    const [high, low] = [await judged(250), await judged(40)];
    expect(high.verdict).toMatchObject({ label: 'suspicious', reason_code: 'ai_generated' });
    expect(high.captures[0]!.signals!.ai_detection).toMatchObject({ label: 'likely_ai', confidence: 0.99 });
    expect(modelSaid(high)[0]!.value).toMatch(/^score 0\.98\d, p 0\.010 among 99 genuine pictures$/);
    expect(low.verdict?.label).toBe('verified');
    expect(modelSaid(low)[0]!.value).toMatch(/^score 0\.1/);
  });

  it('replay-model says which recent photos a model would doubt, and changes nothing', async () => {
    const { code, out } = await command('replay-model', '--model', manifest);
    expect(code).toBe(0);
    const replay = JSON.parse(out) as { photos: number; by: object[]; doubted: { verdict: string }[] };
    expect(replay.photos).toBe(3);
    expect(replay.by).toContainEqual({ verdict: 'verified', decision: 'none', photos: 2, doubtful: 1, confident: 0 });
    expect(replay.doubted.map(({ verdict }) => verdict).toSorted()).toEqual(['suspicious', 'verified']);
    const { err } = await command('replay-model', '--model', manifest, '--days', '0');
    expect(err).toContain('Takes 1 to 3650.');
  });

  it('calibrate --from-reviews takes the photos that people called genuine', async () => {
    const { err } = await command('calibrate', '--from-reviews', '--model', manifest);
    expect(err).toContain('0 genuine pictures are too few');
  });

  it('names in the evidence a service that is away, and one that changed its version', async () => {
    detector.down = true;
    const away = await judged(250);
    detector.down = false;
    expect([away.verdict?.label, modelSaid(away)]).toEqual([
      'verified',
      [{ source: 'model', field: 'fault', value: 'hosted detector answered 503' }],
    ]);
    adapter.closeAllConnections();
    await new Promise(resolve => adapter.close(resolve));
    adapter = await openAdapter('2');
    await writeFile(
      manifest,
      JSON.stringify({ name: 'hosted detector', url: `http://127.0.0.1:${(adapter.address() as AddressInfo).port}/` }),
    );
    const { out } = await command('doctor', '--json');
    expect(out).toContain('was made for another model; calibrate again');
  });

  it('import-model takes a folder as model hubs hold it, names the licence, and calibrate takes its manifest', async () => {
    await mkdir(join(onnx, 'onnx'), { recursive: true });
    await writeFile(join(onnx, 'config.json'), JSON.stringify({ id2label: { 0: 'human', 1: 'artificial' } }));
    await writeFile(
      join(onnx, 'preprocessor_config.json'),
      JSON.stringify({ size: { height: 8, width: 8 }, image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5] }),
    );
    await writeFile(join(onnx, 'onnx', 'model.onnx'), meanModel([1, 3, 8, 8], 10, -5));
    await writeFile(join(onnx, 'README.md'), '---\nlicense: cc-by-nc-4.0\n---\n');
    const wrong = await command('import-model', onnx);
    expect(wrong.err).toContain('gave no number at output 1');
    expect(await readdir(onnx)).not.toContain('firsthand.json');
    await writeFile(join(onnx, 'config.json'), JSON.stringify({ id2label: { 0: 'artificial', 1: 'human' } }));
    const { code, out, err } = await command('import-model', onnx);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ generated: 'artificial', license: 'cc-by-nc-4.0' });
    expect(err).toContain('does not allow commercial use');
    const path = join(onnx, 'firsthand.json');
    const calibrated = await command('calibrate', pictures, '--model', path);
    expect(JSON.parse(calibrated.out)).toMatchObject({ model: 'published', genuine: 99 });
  });
});
