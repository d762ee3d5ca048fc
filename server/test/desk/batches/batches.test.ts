import type { Batch, BatchCheck } from '@firsthand/contract/batches/batches.ts';
import { csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../../identity/people/visitor.ts';
import { type Failure, pathsOf } from '../../support/failure.ts';
import { ask, type RequestOptions, startTestService, type TestService, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';

describe('batches', () => {
  let service: TestService;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeAll(async () => {
    mailbox = await openMailbox(to => (to.startsWith('refused') ? 550 : null));
    service = await startTestService({
      env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Firsthand <noreply@firsthand.test>' },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await mailbox?.close();
  });

  const key = () => service.tenant.rk_secret;
  async function csv<T>(text: string | Buffer, query = '', headers: Record<string, string> = {}) {
    const answer = await fetch(`${service.url}/v1/batches${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key()}`, 'content-type': 'text/csv', ...headers },
      body: typeof text === 'string' ? text : new Uint8Array(text),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  }
  const json = <T>(body: object, query = '') => ask<T>(service, `/v1/batches${query}`, { key: key(), body });
  const read = <T>(path: string, o: RequestOptions = {}) => ask<T>(service, path, { key: key(), ...o });
  const ended = (id: string) =>
    until(async () => {
      const { body } = await read<Batch>(`/v1/batches/${id}`);
      return body.state === 'completed' && body;
    }, 'the batch to end');
  const results = async (id: string) =>
    parse((await read<string>(`/v1/batches/${id}/results`)).text, { columns: true }) as Record<string, string>[];

  it('POST /v1/batches makes one verification of each row of a CSV, whatever its quotes, blank lines and BOM', async () => {
    const text =
      '\ufeffname,email,phone_e164,external_ref,asset_ref,expected_location,expected_object,condition_aspects,ocr_type,metadata.branch\r\n' +
      '"Okafor, ""Ada""\nJr.",ada@people.example,+4915112345678,C-1,VIN 7,"48.1,11.5",a red car,paint; tyres ,serial_number,Nörd\r\n' +
      '\r\n' +
      'Bo,,,C-2,,,,,,\r\n';
    const made = await csv<Batch>(text);
    expect([made.status, made.body.state, made.body.total]).toEqual([202, 'queued', 2]);
    const done = await ended(made.body.id);
    expect(done).toMatchObject({ created: 2, failed: 0, ended_at: expect.any(String) });
    const lines = await results(done.id);
    expect(lines.map(({ row }) => row)).toEqual(['2', '4']);
    const file = await fetch(`${service.url}/v1/batches/${done.id}/results`, {
      headers: { authorization: `Bearer ${key()}` },
    });
    expect((await file.bytes()).subarray(0, 3)).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf));
    const { body } = await read<Verification>(`/v1/verifications/${lines[0]!.id}`);
    expect(lines[0]).toMatchObject({ capture_url: body.capture_url, error: '', name: 'branch Nörd' });
    expect(body.config).toMatchObject({
      max_captures: 1,
      expected_location: '48.1,11.5',
      expected_object: 'a red car',
      condition_aspects: ['paint', 'tyres'],
      metadata: { branch: 'Nörd' },
    });
    const stored = await service.deps.db.query('select private, external_ref from verifications where id = $1', [
      body.id,
    ]);
    expect(stored.rows[0]).toEqual({
      external_ref: 'C-1',
      private: {
        source: 'csv',
        asset_ref: 'VIN 7',
        ocr_type: 'serial_number',
        person: {
          name: 'Okafor, "Ada"\nJr.',
          email: 'ada@people.example',
          phone_e164: '+4915112345678',
          external_ref: 'C-1',
        },
      },
    });
    const kept = await service.deps.db.query('select 1 from batch_rows where batch_id = $1 and content is not null', [
      done.id,
    ]);
    expect(kept.rowCount).toBe(0);
  });

  it('POST /v1/batches lays JSON rows over the request, and what a row says comes first', async () => {
    const request = { max_captures: 3, expected_object: 'a car', metadata: { a: '1', b: '2' } };
    const rows = [
      { external_ref: 'J-1', 'metadata.b': '3', condition_aspects: ['paint'] },
      { expected_object: 'a van', metadata: { c: '4' } },
    ];
    const dry = await json<BatchCheck>({ request, rows }, '?dry_run=true');
    expect([dry.status, dry.body]).toEqual([
      200,
      {
        total: 2,
        faults: [],
        preview: [
          {
            max_captures: 3,
            metadata: { a: '1', b: '3' },
            expected_info: {
              source: 'csv',
              shared: { expected_object: 'a car' },
              subject: { person: { external_ref: 'J-1' }, condition_aspects: ['paint'] },
            },
          },
          {
            max_captures: 3,
            metadata: { a: '1', b: '2', c: '4' },
            expected_info: {
              source: 'csv',
              shared: { expected_object: 'a car' },
              subject: { expected_object: 'a van' },
            },
          },
        ],
      },
    ]);
    const done = await ended((await json<Batch>({ request, rows })).body.id);
    const views = await Promise.all(
      (await results(done.id)).map(async ({ id }) => (await read<Verification>(`/v1/verifications/${id}`)).body.config),
    );
    expect(views.map(config => [config.max_captures, config.expected_object])).toEqual([
      [3, 'a car'],
      [3, 'a van'],
    ]);
    const people = { people: (await read<{ data: Batch[] }>('/v1/batches')).body.data.map(({ id }) => id) };
    expect(people.people).toContain(done.id);
  });

  it('POST /v1/batches?dry_run=true names every fault by row and column and makes nothing', async () => {
    const before = (await read<{ data: Batch[] }>('/v1/batches?limit=100')).body.data.length;
    const text = 'name,email,colour,phone_e164\nAda,not an address,x,+49\n\nBo,bo@people.example,x\nCy,,x,\n';
    const dry = await csv<BatchCheck>(text, '?dry_run=true');
    expect([dry.status, dry.body.total, dry.body.faults.map(({ row, column }) => [row, column])]).toEqual([
      200,
      2,
      [
        [1, 'colour'],
        [2, 'email'],
        [2, 'phone_e164'],
        [4, ''],
      ],
    ]);
    const refused = await csv<Failure>(text);
    expect([refused.status, refused.body.error.code, pathsOf(refused)]).toEqual([
      400,
      'invalid_request',
      ['rows.1.colour', 'rows.2.email', 'rows.2.phone_e164', 'rows.4'],
    ]);
    expect((await read<{ data: Batch[] }>('/v1/batches?limit=100')).body.data).toHaveLength(before);
  });

  it.each([
    ['a quote that is not closed', 'name\n"Ada\n', ['rows.2']],
    ['a column twice', 'name,name\nAda,Bo\n', ['rows.1.name']],
    ['only a header', 'name\n', ['rows']],
    ['bytes that are not UTF-8', Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xff]), ['rows.1']],
    ['a workbook', Buffer.from('504b030414000600', 'hex'), ['rows.1']],
    ['a letter lost by an earlier program', 'name\nJ\uFFFDrg\n', ['rows.2.name']],
    ['a value under no heading', 'name,,email\nAda,x,\n', ['rows.2']],
    ['a NUL', 'name\nA\0da\n', ['rows.2.name']],
  ])('POST /v1/batches refuses %s', async (_name, text, paths) => {
    const reply = await csv<Failure>(text);
    expect([reply.status, pathsOf(reply)]).toEqual([400, paths]);
  });

  const names = ({ preview }: BatchCheck) => preview.map(one => one.expected_info?.subject?.person?.name);
  const GERMAN = 'name;email\r\nJörg Müller;joerg@people.example\r\n';

  it.each([
    ['semicolons and CRLF, then LF, then CR', 'name;email\r\nJörg Müller;\nBo;\rCy;', ['Jörg Müller', 'Bo', 'Cy']],
    ['rows and columns of only separators', 'name,email,,\r\nJörg Müller,,,\r\n,,,\r\n,\r\n', ['Jörg Müller']],
    ['sep= and tabs', 'sep=\t\r\nname\temail\r\nJörg Müller\t\r\n', ['Jörg Müller']],
    ['blank lines above the header', '\r\n;\r\nname;email\r\nJörg Müller;\r\n', ['Jörg Müller']],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${GERMAN}`, 'utf16le'), ['Jörg Müller']],
    ['UTF-16 without one', Buffer.from(GERMAN, 'utf16le'), ['Jörg Müller']],
    ['big-endian UTF-16', Buffer.from(`\ufeff${GERMAN}`, 'utf16le').swap16(), ['Jörg Müller']],
  ])('POST /v1/batches reads %s', async (_name, text, expected) => {
    const { status, body } = await csv<BatchCheck>(text, '?dry_run=true');
    expect([status, body.total, body.faults, names(body)]).toEqual([200, expected.length, [], expected]);
  });

  it('POST /v1/batches counts the rows that it skips', async () => {
    const { body } = await csv<BatchCheck>('name,email\r\n,,\r\n\r\nAda,nobody\r\n', '?dry_run=true');
    expect([body.total, body.faults.map(({ row, column }) => [row, column])]).toEqual([1, [[4, 'email']]]);
  });

  it('POST /v1/batches names the likely encoding of a file that is not UTF-8, and reads it under that charset', async () => {
    const bytes = Buffer.from(GERMAN, 'latin1');
    const refused = await csv<BatchCheck>(bytes, '?dry_run=true');
    expect([refused.body.total, refused.body.faults[0]!.message]).toEqual([0, expect.stringContaining('windows-1252')]);
    const mac = Buffer.from(GERMAN.replace('ö', '\x9a').replace('ü', '\x9f'), 'latin1');
    expect((await csv<BatchCheck>(mac, '?dry_run=true')).body.faults[0]!.message).toContain('macintosh');
    for (const [file, charset] of [
      [bytes, 'Windows-1252'],
      [bytes, '"iso-8859-1"'],
      [mac, 'macintosh'],
    ] as const) {
      const read = await csv<BatchCheck>(file, '?dry_run=true', { 'content-type': `text/csv; charset=${charset}` });
      expect([read.body.faults, names(read.body)]).toEqual([[], ['Jörg Müller']]);
    }
    const wrong = await csv<BatchCheck>(bytes, '?dry_run=true', { 'content-type': 'text/csv; charset=utf-8' });
    expect(wrong.body.faults).toHaveLength(1);
    const unknown = await csv<BatchCheck>(bytes, '?dry_run=true', { 'content-type': 'text/csv; charset=klingon' });
    expect(unknown.body.faults[0]!.message).toBe('the charset of the Content-Type is not a known encoding');
  });

  it.each([
    [{ rows: [] }, ['rows']],
    [{ rows: [1] }, ['rows.1']],
    [{ rows: [{ name: 7 }, { nonsense: 'x' }] }, ['rows.1.name', 'rows.2.nonsense']],
    [{ rows: [{}], request: { max_captures: 0 } }, ['request.max_captures']],
    [{ rows: [{}], colour: 1 }, ['colour']],
    [{ rows: [{}], template_id: `tpl_${'0'.repeat(26)}` }, ['template_id']],
    [{ rows: [{}], template_id: `tpl_${'0'.repeat(26)}`, request: {} }, ['template_id']],
  ])('POST /v1/batches refuses %j', async (body, paths) => {
    const reply = await json<Failure>(body);
    expect([reply.status, pathsOf(reply)]).toEqual([400, paths]);
  });

  it('POST /v1/batches refuses 50,001 rows', async () => {
    const reply = await csv<Failure>(`name\n${'Ada\n'.repeat(50_001)}`);
    expect([reply.status, pathsOf(reply)]).toEqual([400, ['rows']]);
  });

  it('POST /v1/batches with an Idempotency-Key makes one batch', async () => {
    const text = 'name\nAda\n';
    const first = await csv<Batch>(text, '', { 'idempotency-key': 'batch-1' });
    const again = await csv<Batch>(text, '', { 'idempotency-key': 'batch-1' });
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
  });

  it("POST /v1/batches takes a template's version and remembers it", async () => {
    const template = await read<{ id: string }>('/v1/link-templates', {
      body: { name: 'A template', request: { max_captures: 4 } },
    });
    const made = await json<Batch>({ template_id: template.body.id, rows: [{ name: 'Ada' }] });
    const [line] = await results((await ended(made.body.id)).id);
    const view = await read<Verification>(`/v1/verifications/${line!.id}`);
    expect([made.body.template_id, view.body.config.max_captures]).toEqual([template.body.id, 4]);
  });

  it('POST /v1/batches/:id/cancel makes no more rows and keeps what was made', async () => {
    const made = (await csv<Batch>(`name\n${'Ada\n'.repeat(20_000)}`)).body;
    const cancelled = await read<Batch>(`/v1/batches/${made.id}/cancel`, { body: {} });
    expect([cancelled.status, cancelled.body.state, cancelled.body.created < 20_000]).toEqual([200, 'cancelled', true]);
    expect((await read<Batch>(`/v1/batches/${made.id}/cancel`, { body: {} })).body).toEqual(cancelled.body);
    const lines = await results(made.id);
    expect([lines.length, lines.filter(({ id }) => id !== '').length]).toEqual([20_000, cancelled.body.created]);
    expect((await read<Batch>(`/v1/batches/${made.id}`)).body).toEqual(cancelled.body);
  });

  it('stop when their author loses the role, and when their key is revoked', async () => {
    const tenant = await service.newTenant();
    const tenantId = tenant.tenant_id;
    const owner = await signedIn(service, { tenantId, role: 'owner' });
    const author = await signedIn(service, { tenantId, role: 'member' });
    const body = { rows: Array.from({ length: 20_000 }, () => ({ name: 'Ada' })) };
    const keys = await owner.ask<{ data: { id: string; kind: string }[] }>('/v1/api-keys');
    const secret = keys.body.data.find(({ kind }) => kind === 'secret')!.id;
    const cases = [
      {
        made: await author.ask<Batch>('/v1/batches', { body }),
        stop: () => owner.ask(`/v1/people/${author.personId}`, { method: 'PATCH', body: { role: 'viewer' } }),
      },
      {
        made: await ask<Batch>(service, '/v1/batches', { key: tenant.rk_secret, body }),
        stop: () => owner.ask(`/v1/api-keys/${secret}`, { method: 'DELETE' }),
      },
    ];
    for (const { made, stop } of cases) {
      const { id } = made.body;
      const answer = await stop();
      expect(answer.status, answer.text).toBeLessThan(300);
      const stopped = await until(async () => {
        const { body } = await owner.ask<Batch>(`/v1/batches/${id}`);
        return body.state === 'cancelled' && body;
      }, 'the batch to stop');
      expect(stopped.stopped).toBe('not_allowed');
      expect(stopped.created).toBeLessThan(20_000);
      const log = await owner.ask<{ data: { action: string; target?: string }[] }>('/v1/audit-log?limit=100');
      expect(log.body.data.some(line => line.action === 'batch.stopped' && line.target === id)).toBe(true);
    }
  });

  it('POST /v1/batches warns of required signals that this installation cannot evaluate, before and after', async () => {
    const request = { signals_required: ['context'], context: { kind: 'claim', summary: 'a car' } };
    const warnings = [{ signal: 'context', reason: 'no_model', message: expect.any(String) }];
    const body = { request, rows: [{ name: 'Ada' }] };
    expect((await json<BatchCheck>(body, '?dry_run=true')).body.warnings).toEqual(warnings);
    const made = (await json<Batch>(body)).body;
    expect(made.warnings).toEqual(warnings);
    expect(await ended(made.id)).not.toHaveProperty('warnings');
    expect((await json<BatchCheck>({ rows: [{}] }, '?dry_run=true')).body).not.toHaveProperty('warnings');
  });

  it('POST /v1/batches?send=true mails each address its link once, and a refused address stops nobody', async () => {
    const text = 'name,email\nA,a@people.example\nR,refused@people.example\nB,b@people.example\nNobody,\n';
    const done = await ended((await csv<Batch>(text, '?send=true')).body.id);
    const links = (await results(done.id)).map(({ capture_url }) => capture_url!);
    const mails = await until(async () => mailbox.mails.length >= 2 && mailbox.mails, 'the mails');
    expect(
      mails.map(({ to, parts }) => [to[0], links.indexOf(/http\S+\/v\/\S+/.exec(parts['text/plain']!)![0])]),
    ).toEqual([
      ['a@people.example', 0],
      ['b@people.example', 2],
    ]);
    await until(
      async () =>
        (await service.deps.db.query("select 1 from graphile_worker.jobs where task_identifier = 'mail_capture_link'"))
          .rowCount === 0,
      'the queue to be empty',
    );
    expect(mailbox.mails).toHaveLength(2);
  });
});

describe('csvLine', () => {
  it('gives back every cell, and none that a spreadsheet would run', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 6 }), cells => {
        const [back] = parse(csvLine(cells), { relax_column_count: true }) as string[][];
        // An empty line is a record of one empty cell.
        expect(back ?? ['']).toEqual(
          cells.map(cell => (/^[\t\r\n]/.test(cell) || /^[\s\0]*[=+\-@]/.test(cell) ? `'${cell}` : cell)),
        );
        for (const cell of back ?? []) expect(cell).not.toMatch(/^[\s\0]*[=+\-@]/);
      }),
    );
  });
});
