import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { Email } from '@firsthand/contract/create-verification.ts';
import { centralDirectory, localHeader, type ZipEntry } from '@firsthand/evidence/zip/layout.ts';
import { Type } from 'typebox';
import { many, one } from '../db/sql.ts';
import { type Answer, type Call, tenantEndpoint } from '../http/endpoint.ts';
import { type Principal, readableModes } from '../http/principal.ts';
import { invalidField } from '../http/problem.ts';
import { activityOf, audit } from '../tenants/audit.ts';
import { type KeptFile, keptAbout, keptOfMember } from './kept-files.ts';

const Query = Type.Object(
  {
    external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    email: Type.Optional(Email),
    phone_e164: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{6,14}$' })),
  },
  { additionalProperties: false },
);

/** By what a person is found, and the condition on `verifications`. */
const CONDITIONS = {
  external_ref: 'external_ref = $3',
  email: "lower(private #>> '{person,email}') = lower($3) and private #>> '{person,email}' is not null",
  phone_e164: "private #>> '{person,phone_e164}' = $3 and private #>> '{person,phone_e164}' is not null",
} as const;
type By = keyof typeof CONDITIONS;

export const getPeopleData = tenantEndpoint({
  operationId: 'getPeopleData',
  summary: 'Download everything kept about one person',
  description:
    'Answers a request for access by a person whose data you hold. Send exactly one of `external_ref`, `email` and ' +
    '`phone_e164`. The zip has a folder for each verification, with photos, record, webhooks and statements; `index.json` ' +
    'lists them. Somebody who is unknown gets an empty index.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  role: 'owner',
  query: Query,
  mediaType: 'application/zip',
  responses: { 200: Type.String({ contentMediaType: 'application/zip' }) },
  async handler(call): Promise<Answer> {
    const { deps, principal } = call;
    const [by, value] = onePerson(call);
    const rows = await many<{ id: string }>(
      deps.db,
      `select id from verifications where tenant_id = $1 and livemode = any($2) and ${CONDITIONS[by]} order by id`,
      [principal.tenantId, readableModes(principal), value],
    );
    const member = by === 'external_ref' ? null : await memberBy(call, by, value);
    // The value is a person's: the log says by what they were looked for, not who they are.
    await audit(deps.db, activityOf(call), {
      action: 'people_data.exported',
      detail: { by, verifications: rows.length },
    });
    const ids = rows.map(({ id }) => id);
    const index = {
      [by]: value,
      created_at: deps.clock.now().toISOString(),
      verifications: ids,
      member: member !== null,
    };
    async function* files(): AsyncGenerator<KeptFile> {
      yield { path: 'index.json', bytes: Buffer.from(JSON.stringify(index, null, 2)) };
      if (member !== null) yield* keptOfMember(deps.db, principal.tenantId, member);
      for (const id of ids) yield* keptAbout(deps, id);
    }
    return {
      status: 200,
      body: Readable.from(zip(files()), { objectMode: false }),
      headers: {
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="people-data.zip"',
        'cache-control': 'no-store',
      },
    };
  },
});

/** The one parameter that says who. */
function onePerson({ query }: Pick<Call<unknown, Partial<Record<By, string>>, Principal>, 'query'>): [By, string] {
  const given = (Object.keys(CONDITIONS) as By[]).filter(by => query[by] !== undefined);
  if (given.length !== 1) throw invalidField('external_ref', 'or email or phone_e164 is required, exactly one of them');
  return [given[0]!, query[given[0]!]!];
}

/** A person who signs in to the account, by a verified address or number. */
async function memberBy(
  { deps, principal }: { deps: Call<unknown, unknown, Principal>['deps']; principal: Principal },
  by: 'email' | 'phone_e164',
  value: string,
): Promise<string | null> {
  const row = await one<{ id: string }>(
    deps.db,
    `select p.id from persons p join memberships m on m.person_id = p.id
     where m.tenant_id = $1 and ${by === 'email' ? 'lower(p.email) = lower($2)' : 'p.phone_e164 = $2'}`,
    [principal.tenantId, value],
  );
  return row?.id ?? null;
}

/** Stores the files in a zip. One is held at a time. */
async function* zip(files: AsyncIterable<KeptFile>): AsyncGenerator<Uint8Array> {
  const entries: ZipEntry[] = [];
  for await (const { path, bytes } of files) {
    const entry = { name: path, size: bytes.length, crc32: crc32(bytes) };
    entries.push(entry);
    yield localHeader(entry);
    yield bytes;
  }
  yield centralDirectory(entries);
}
