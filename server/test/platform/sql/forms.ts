import type { Queryable } from '../../../src/platform/db/sql.ts';
import { select } from '../../../src/verification/verifications/select.ts';

/** A value for each filter of the list. */
const FILTERS = {
  id: ['vfy_01J8ZQ4Y7N2M5K3T6R9W0XBCDE'],
  status: ['pending', 'failed'],
  verdict: ['verified', 'suspicious'],
  template_id: ['tpl_01J8ZQ4Y7N2M5K3T6R9W0XBCDE'],
  review: ['none', 'open', 'claimed', 'decided'],
  brand_slug: ['one', 'two'],
  created_after: '2026-01-01T00:00:00Z',
  created_before: '2026-02-01T00:00:00Z',
  external_ref: 'CLM-1',
  'metadata[claim]': 'C-1',
};
/** No words, words, and words that may begin an id. */
const TEXTS = [undefined, 'meier', 'vfy_01'];
/** How many rows each count and each index answers with: every decision of the search takes both its ways. */
const COUNTS = [0, 60, 30_000];

/** Every statement that the list of verifications may send, found by letting it decide after answers of every size. */
export async function listForms(): Promise<Set<string>> {
  const forms = new Set<string>();
  const each = Object.entries(FILTERS).map(([name, value]) => ({ [name]: value }));
  for (const filters of [{}, ...each, FILTERS]) {
    for (const q of TEXTS) {
      for (const reads of [[true], [true, false]]) {
        for (const count of COUNTS) {
          const db = answering(forms, count);
          const query = { ...filters, ...(q === undefined ? {} : { q }) } as Parameters<typeof select>[2];
          const selection = await select({ db, clock: { now: () => new Date() } }, { tenantId: 'tnt_1', reads }, query);
          for (const after of [null, { id: FILTERS.id[0]!, created_at: FILTERS.created_after }]) {
            await selection.page({ after, limit: 20 });
          }
          await selection.total();
        }
      }
    }
  }
  return forms;
}

/** A database that notes each statement and finds `count` rows. A page finds none, so the next source is read too. */
function answering(forms: Set<string>, count: number): Queryable {
  const answers: [RegExp, object[]][] = [
    [/^explain/, [{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': count } }] }]],
    [/^select count/, [{ n: count }]],
    [/^select p\.key/, [{ key: 'claim', value: 'C-1', n: count }]],
    [/^select verification_id as id/, Array(count).fill({ id: FILTERS.id[0], time: FILTERS.created_after })],
    [/as place/, []],
  ];
  const query = async (text: string) => {
    forms.add(text.replace(/^explain \(format json\) /, ''));
    const rows = answers.find(([form]) => form.test(text))?.[1];
    if (!rows) throw new Error(`no answer to ${text}`);
    return { rows };
  };
  return { query } as unknown as Queryable;
}
