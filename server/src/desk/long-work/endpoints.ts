import { Readable } from 'node:stream';
import { type IdPrefix, isId } from '@firsthand/contract/base/ids.ts';
import { BYTE_ORDER_MARK, csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import type { TSchema } from 'typebox';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { type Queryable, transaction } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { type Answer, type Call, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { notFound } from '../../platform/http/problem.ts';
import { hasEnded, type LongWork, type LongWorkRow } from './run.ts';

interface Described<Row extends LongWorkRow> {
  work: Pick<LongWork<Row, never>, 'name' | 'lock' | 'cancel'>;
  /** As in the ids of operations. */
  operation: { one: string; many: string };
  noun: { one: string; many: string };
  tag: 'Batches' | 'Verifications';
  prefix: IdPrefix;
  schema: TSchema;
  cancelDescription: string;
  present(row: Row): unknown;
  /** The caller's, or undefined. */
  find(db: Queryable, principal: Principal, id: string): Promise<Row | undefined>;
  /** The caller's before an id, newest first. */
  page(db: Queryable, principal: Principal, o: { before: string | null; limit: number }): Promise<Row[]>;
}

/** The endpoints to follow and to cancel one kind of long work. */
export function endpointsOf<Row extends LongWorkRow>(o: Described<Row>) {
  const credentials = ['session', 'secret'] as const;
  const exists = async ({
    deps,
    principal,
    params,
  }: Pick<Call<never, never, Principal>, 'deps' | 'principal' | 'params'>) =>
    (await o.find(deps.db, principal, params.id!)) !== undefined;
  return {
    list: tenantEndpoint({
      tag: o.tag,
      credentials,
      operationId: `list${o.operation.many}`,
      summary: `List ${o.noun.many}, newest first`,
      query: PageQuery,
      responses: { 200: Page(o.schema) },
      async handler({ deps, principal, query }) {
        const before = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId(o.prefix, id));
        const rows = await o.page(deps.db, principal, { before, limit: query.limit + 1 });
        return ok(pageOf(rows, query.limit, row => row.id, o.present));
      },
    }),
    get: tenantEndpoint({
      tag: o.tag,
      credentials,
      exists,
      responses: { 200: o.schema },
      operationId: `get${o.operation.one}`,
      summary: `Get a ${o.noun.one} with its progress`,
      async handler({ deps, principal, params }) {
        const row = await o.find(deps.db, principal, params.id!);
        if (!row) throw notFound();
        return ok(o.present(row));
      },
    }),
    cancel: tenantEndpoint({
      tag: o.tag,
      credentials,
      exists,
      responses: { 200: o.schema },
      operationId: `cancel${o.operation.one}`,
      summary: `Cancel a ${o.noun.one}`,
      description: o.cancelDescription,
      role: 'member',
      async handler(call) {
        const { deps, params } = call;
        return transaction(deps.db, async tx => {
          const row = await o.work.lock(tx, params.id!);
          if (!row) throw notFound();
          if (hasEnded(row)) return ok(o.present(row));
          const cancelled = await o.work.cancel(tx, row.id, deps.clock.now(), null);
          await audit(tx, activityOf(call), { action: `${o.work.name}.cancelled`, target: row.id });
          return ok(o.present(cancelled));
        });
      },
    }),
  };
}

/** Rows of results that one statement reads. */
const PAGE = 1_000;

/** Answers with the results as a CSV file. `page` reads the rows after a number. */
export function resultsFile<Row extends { number: number }>(
  id: string,
  columns: readonly string[],
  o: { page(after: number, limit: number): Promise<Row[]>; cells(row: Row): Parameters<typeof csvLine>[0] },
): Answer {
  async function* lines(): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvLine(columns);
    for (let after = 0; ; ) {
      const rows = await o.page(after, PAGE);
      yield rows.map(row => csvLine(o.cells(row))).join('');
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.number;
    }
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${id}.csv"`,
    },
    body: Readable.from(lines(), { objectMode: false }),
  };
}
