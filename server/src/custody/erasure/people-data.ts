import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import { conflict, required } from '@firsthand/contract/base/fault.ts';
import { PHONE } from '@firsthand/contract/base/patterns.ts';
import { centralDirectory, localHeader, type ZipEntry } from '@firsthand/evidence/zip/layout.ts';
import { Type } from 'typebox';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { many, one } from '../../platform/db/sql.ts';
import { type Answer, binary, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { invalid } from '../../platform/http/problem.ts';
import { type KeptFile, keptAbout, keptOfMember } from './kept-files.ts';

const Query = Type.Object(
  {
    external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
    phone_e164: Type.Optional(Type.String({ pattern: PHONE })),
  },
  { additionalProperties: false },
);

const BY = ['external_ref', 'email', 'phone_e164'] as const;
type By = (typeof BY)[number];

export const getPeopleData = tenantEndpoint({
  operationId: 'getPeopleData',
  summary: 'Export the personal data of one person',
  description:
    'Answers a request for access by a person whose data you hold. Send exactly one of `external_ref`, `email` and ' +
    '`phone_e164`. The zip has a folder for each verification, with photos, record, webhooks and statements; `index.json` ' +
    'lists them. Somebody who is unknown gets an empty index.',
  tag: 'Evidence',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  query: Query,
  mediaType: 'application/zip',
  responses: { 200: binary('application/zip') },
  async handler(call): Promise<Answer> {
    const { deps, principal } = call;
    const by = oneOf(call.query);
    const { external_ref = null, email = null, phone_e164 = null } = call.query;
    const found = await many<{ id: string; email: string | null }>(
      deps.db,
      `select id, private #>> '{person,email}' as email from verifications
       where tenant_id = $1 and livemode = any($2)
         and (normalize(external_ref, nfc) = normalize($3, nfc) or search_form(private #>> '{person,email}') = search_form($4)
           or private #>> '{person,phone_e164}' = $5)
       order by id`,
      [principal.tenantId, readableModes(principal), external_ref, email, phone_e164],
    );
    // The database also takes letters for the same that are not.
    const rows = found.filter(
      row => email === null || (row.email !== null && comparableEmail(row.email) === comparableEmail(email)),
    );
    // Somebody who signs in to the account, by a verified address or number.
    const member = await one<{ id: string }>(
      deps.db,
      `select p.id from persons p join memberships m on m.person_id = p.id
       where m.tenant_id = $1 and (p.email = $2 or p.phone_e164 = $3)`,
      [principal.tenantId, email === null ? null : comparableEmail(email), phone_e164],
    );
    // The value is a person's: the log says by what they were looked for, not who they are.
    await audit(deps.db, activityOf(call), {
      action: 'people_data.exported',
      detail: { by, verifications: rows.length },
    });
    const ids = rows.map(({ id }) => id);
    const index = {
      [by]: call.query[by],
      created_at: deps.clock.now().toISOString(),
      verifications: ids,
      member: member !== undefined,
    };
    async function* files(): AsyncGenerator<KeptFile> {
      yield { path: 'index.json', bytes: Buffer.from(JSON.stringify(index, null, 2)) };
      if (member) yield* keptOfMember(deps.db, principal.tenantId, member.id);
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
function oneOf(query: Partial<Record<By, string>>): By {
  const given = BY.filter(by => query[by] !== undefined);
  if (given.length !== 1) {
    const message = 'is required, or email or phone_e164; send exactly one of the three';
    throw invalid([
      given.length === 0
        ? required('external_ref', message, { unless: ['email', 'phone_e164'] })
        : conflict('external_ref', message, given),
    ]);
  }
  return given[0]!;
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
