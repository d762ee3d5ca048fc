import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TextReading } from '../../src/inspection/checks/read-text.ts';
import { many, one, transaction } from '../../src/platform/db/sql.ts';
import { addJob, addSlowJob, SLOW_JOBS } from '../../src/platform/jobs/queue.ts';
import { draw, smallPrint } from '../support/drawn.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { serviceOfSuite } from '../support/suite.ts';
import { startVisionServer, type VisionServer } from '../support/vision-server.ts';

const read = async (service: TestService, id: string, key: string) =>
  (await ask<Verification>(service, `/v1/verifications/${id}`, { key })).body;

describe('read_text', () => {
  const textsOf = async (service: TestService, id: string, key: string): Promise<(TextReading | undefined)[]> =>
    (await read(service, id, key)).captures.map(({ text }) => text as TextReading | undefined);

  /** A verification with these pictures, all analysed: from now on they wait to be read. */
  async function unread(service: TestService, pictures: Buffer[], key: string): Promise<string> {
    const { id } = await createVerification(
      service,
      {
        max_captures: pictures.length,
        expected_info: { shared: { ocr_type: 'odometer' } },
        signals_required: ['ai'],
      },
      key,
    );
    for (const picture of pictures) expect((await submit(service, id, picture)).status).toBe(201);
    await untilStatus(service, id, ['completed'], key);
    return id;
  }

  it('reads the photo of an account while another account’s pages of small print fill all places, and gives up on a page after its time', async () => {
    const service = await startTestService({ env: { TESSERACT: 'built-in' } });
    try {
      const other = await service.newTenant('Other');
      const [mine, theirs] = [other.pk_test, service.tenant.pk_test];
      const endless = await smallPrint({ side: 2_400, letter: 6 });
      const long = await smallPrint({ side: 2_400, letter: 40 });
      const label = await draw({ colour: '#dddddd', text: ['123456', 'km'] });
      const crowd = await unread(service, [endless, long, label, label], theirs);
      const id = await unread(service, [label], mine);
      const [text] = await until(async () => {
        const texts = await textsOf(service, id, mine);
        return texts.every(Boolean) && texts;
      }, 'the text of the other account');
      expect(text).toMatchObject({ status: 'read', value: '123456' });
      const before = await textsOf(service, crowd, theirs);
      expect(before.filter(Boolean).length).toBeLessThan(2);
      const ended = await until(
        async () => {
          const texts = await textsOf(service, crowd, theirs);
          return texts.every(Boolean) && texts;
        },
        'all texts of the crowd',
        600_000,
      );
      expect(ended.map(each => [each!.status, each!.reason])).toEqual([
        ['unavailable', 'took_too_long'],
        ['read', undefined],
        ['read', undefined],
        ['read', undefined],
      ]);
      expect(service.logged.filter(line => line.includes('30 s of processor time'))).toHaveLength(1);
    } finally {
      await service.stop();
    }
    // A page takes half a minute of processor time, and other tests share the cores.
  }, 900_000);
});

/** Photos in work at once. */
const IN_WORK_AT_MOST = 6;

describe('questions to the vision model', () => {
  let model: VisionServer;
  let service: TestService;
  let other: { pk_test: string };
  let release: (() => void)[] = [];
  /** The questions that asked for a place at the model. */
  let waits: string[] = [];
  beforeAll(async () => {
    model = await startVisionServer();
    service = await startTestService({
      env: {
        VISION_BASE_URL: model.url,
        VISION_MODEL: 'rules',
        VISION_CONCURRENCY: '2',
        VISION_CASE_SAMPLES: '1',
        VISION_CHECKS_SECONDS: '0',
        VISION_CONTEXT_SECONDS: '120',
        VISION_TIMEOUT_SECONDS: '600',
        WORKER_CONCURRENCY: `${IN_WORK_AT_MOST}`,
        FINALIZE_SECONDS: '0.1',
        TESSERACT: 'none',
      },
    });
    other = await service.newTenant('Other');
    const vision = service.deps.vision!;
    const ask = vision.ask.bind(vision);
    vision.ask = question => {
      waits.push(JSON.stringify(question));
      return ask(question);
    };
  });
  afterAll(async () => {
    await service?.stop();
    await model?.close();
  });

  /** The model holds each answer until it is released. */
  beforeEach(() => {
    model.asked.length = 0;
    release = [];
    waits = [];
    model.behave = () => ({ after: new Promise<void>(resolve => release.push(resolve)) });
  });
  afterEach(async () => {
    model.behave = () => 'right';
    for (const go of release) go();
    const left = () =>
      one(
        service.deps.db,
        "select from slow_jobs union all select from captures where analysis_state = 'pending' limit 1",
      );
    await until(async () => !(await left()), 'nothing to wait');
  });
  const crowd = async (kind: string) => {
    for (let n = 0; n < 8; n += 1) await ASKS[kind]!('crowd', service.tenant.pk_test);
    await until(async () => model.asked.length === 2, 'both places of the model to be taken');
    if (kind !== 'context') return;
    const held = `select from captures where analysis_state = 'pending' and analysis_attempts > 0`;
    const full = async () => (await service.deps.db.query(held)).rowCount === IN_WORK_AT_MOST;
    await until(full, 'all places of analyses to be taken');
  };
  const context = (summary: string) => ({ signals_required: ['context'], context: { kind: 'claim', summary } });

  const photo = async (body: object, key: string) => {
    const { id } = await createVerification(service, { max_captures: 1, signals_required: ['ai'], ...body }, key);
    expect((await submit(service, id, await plain({ colour: '#c82828' }))).status).toBe(201);
    return id;
  };
  /** Makes one question, whose evidence holds `name`. */
  const ASKS: Record<string, (name: string, key: string) => Promise<string>> = {
    object: (name, key) => photo({ expected_object: `a red ${name}` }, key),
    condition: (name, key) => photo({ condition_aspects: [name] }, key),
    text: (name, key) => photo({ expected_info: { shared: { ocr_type: name } } }, key),
    context: (name, key) => photo(context(`a red ${name}`), key),
    case: async (name, key) => {
      const id = await photo({}, key);
      await untilStatus(service, id, ['completed'], key);
      await ask(service, `/v1/verifications/${id}/finalize`, { key, body: { narrative: `A red ${name}` } });
      return id;
    },
  };

  it.each(Object.keys(ASKS))(
    'of kind %s: the one of an account goes before what another account has waiting',
    async kind => {
      await crowd(kind);
      const id = await ASKS[kind]!('single', other.pk_test);
      await until(() => one(service.deps.db, IN_WORK, [id]), 'the work on the one');
      await until(async () => waits.some(question => question.includes('single')), 'its question');
      const place = () => model.asked.findIndex(({ evidence }) => JSON.stringify(evidence).includes('single'));
      while (place() < 0) {
        const seen = model.asked.length;
        release.shift()!();
        await until(async () => model.asked.length > seen, 'the next question');
      }
      // Two were with the model.
      expect(place()).toBeLessThanOrEqual(3);
    },
  );

  it('leave room for the analysis of another account’s photo that needs no model', async () => {
    await crowd('context');
    const id = await photo({}, other.pk_test);
    expect((await untilStatus(service, id, ['completed'], other.pk_test)).status).toBe('completed');
    expect(model.asked).toHaveLength(2);
  });
});

/** Work on a verification that a node has begun. */
const IN_WORK = `select id::text from slow_jobs where attempts > 0
    and (subject_id = $1 or subject_id in (select id from captures where verification_id = $1))
  union all select id from captures where analysis_state = 'pending' and analysis_attempts > 0 and verification_id = $1`;

describe('a slow job', () => {
  const service = serviceOfSuite({ worker: false, env: { TESSERACT: 'none' }, expects: [/a failed job settle/] });

  const key = () => service.tenant.pk_test;
  const waiting = async (id: string) =>
    (
      await many<{ task: string }>(
        service.deps.db,
        `select task from slow_jobs where subject_id = $1 or subject_id in (select id from captures where verification_id = $1)`,
        [id],
      )
    ).map(({ task }) => task);
  /** A verification whose photo waits to be read. */
  async function analysed(): Promise<{ id: string; captureId: string }> {
    const { id } = await createVerification(service, {
      max_captures: 1,
      expected_info: { shared: { ocr_type: 'odometer' } },
      signals_required: ['ai'],
    });
    await submit(service, id, await plain({ colour: '#0a0' }));
    const node = await startTestService({ beside: service });
    await untilStatus(service, id, ['completed']);
    const { captures } = await until(async () => {
      const now = await read(service, id, key());
      return now.captures[0]!.text && now;
    }, 'the text');
    await node.stop();
    const captureId = captures[0]!.id;
    await service.deps.db.query('update captures set text = null where id = $1', [captureId]);
    return { id, captureId };
  }
  const queued = async (captureId: string, id: string) => {
    const owner = await one<{ tenant_id: string; livemode: boolean }>(
      service.deps.db,
      'select tenant_id, livemode from verifications where id = $1',
      [id],
    );
    await transaction(service.deps.db, tx => addSlowJob(tx, 'read_text', captureId, owner!));
  };

  it('that a node took before it died is done by another after ten seconds, at most', async () => {
    const { id, captureId } = await analysed();
    await queued(captureId, id);
    expect(await SLOW_JOBS.claim(service.deps.db)).toMatchObject({ task: 'read_text', claimed_attempts: 1 });
    expect(await SLOW_JOBS.claim(service.deps.db)).toBeUndefined();
    const lapses = await one<{ seconds: number }>(
      service.deps.db,
      'select extract(epoch from due_at - now())::float8 as seconds from slow_jobs',
    );
    expect(lapses!.seconds).toBeLessThanOrEqual(10);
    const node = await startTestService({ beside: service });
    await until(async () => (await read(service, id, key())).captures[0]!.text, 'the text');
    await until(async () => (await waiting(id)).length === 0, 'the job to be gone');
    await node.stop();
  });

  it('goes with the erasure of its verification, as its other jobs do, with the faults of their attempts', async () => {
    const { id, captureId } = await analysed();
    const other = await analysed();
    const { db } = service.deps;
    const [event] = await many<{ id: string }>(db, 'select id from events where verification_id = $1', [id]);
    await db.query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
    for (const [of, key] of [
      [id, undefined],
      [id, 'keyed'],
      [other.id, undefined],
    ] as const) {
      await addJob(db, 'settle', { verification_id: of }, { key });
    }
    await addJob(db, 'mail_outcome', { event_id: event!.id });
    await db.query('select graphile_worker.permanently_fail_jobs(array(select id from graphile_worker.jobs), $1)', [
      id,
    ]);
    await queued(captureId, id);
    expect(await waiting(id)).toEqual(['read_text']);
    const { status } = await ask(service, `/v1/verifications/${id}/redact`, {
      key: service.tenant.rk_secret,
      body: { reason: 'asked' },
    });
    expect(status).toBe(200);
    expect(await waiting(id)).toEqual([]);
    expect(await many(db, 'select flags from graphile_worker.jobs')).toEqual([{ flags: { [other.id]: true } }]);
  });

  it('of a node that is stopped is handed back at once, and the attempt does not count', async () => {
    const model = await startVisionServer(() => 'hanging');
    const node = await startTestService({
      beside: service,
      env: { VISION_BASE_URL: model.url, VISION_MODEL: 'rules', VISION_CHECKS_SECONDS: '0', TESSERACT: 'none' },
    });
    const { id } = await createVerification(service, {
      max_captures: 1,
      expected_object: 'a car',
      signals_required: ['ai'],
    });
    await submit(service, id, await plain({ colour: '#00a' }));
    await until(async () => model.asked.length === 1, 'the question');
    await node.stop();
    const [job] = await many<{ attempts: number; due: boolean }>(
      service.deps.db,
      'select attempts, due_at <= now() as due from slow_jobs where subject_id = $1',
      [id],
    );
    expect(job).toEqual({ attempts: 0, due: true });
    await model.close();
  });
});
