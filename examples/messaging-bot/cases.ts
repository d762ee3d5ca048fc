import { RANKS } from './conversation.ts';
import type { Case, Person, Store, Task } from './store.ts';

interface Status {
  status: string;
  code: number | null;
  title: string | null;
}

/** The highest state that a message reached. */
function reached(store: Store, wamid: string): Status | undefined {
  const rank = ({ status }: Status) => RANKS.indexOf(status as (typeof RANKS)[number]);
  return store
    .many<Status>('select status, code, title from statuses where wamid = ?', wamid)
    .toSorted((a, b) => rank(b) - rank(a))[0];
}

/** The last cases with the fate of each message, then codes that did not arrive; a line each. */
export function listCases(store: Store, limit = 50): string[] {
  const cases = store.many<Case>('select * from cases order by opened_at desc limit ?', limit);
  const codes = store.many<Task>(`select * from tasks where kind = 'code' order by id desc limit ?`, limit);
  return [
    ...cases.flatMap(one => [
      `${new Date(one.opened_at).toISOString()}  ${one.status}  ${nameOf(store, one.person)}  ${one.verification_id ?? one.error ?? ''}`,
      ...store
        .many<Task>(`select * from tasks where case_id = ? and kind <> 'create' order by id`, one.id)
        .map(task => `  ${task.kind}: ${fateOf(store, task)}`),
    ]),
    ...codes
      .map(task => ({ to: task.line.slice(-4), fate: fateOf(store, task) }))
      .filter(({ fate }) => fate.startsWith('failed'))
      .map(({ to, fate }) => `code for …${to}: ${fate}`),
  ];
}

function nameOf(store: Store, id: number | null): string {
  const person = id === null ? undefined : store.one<Person>('select * from people where id = ?', id);
  return person ? (person.wa_id === null ? person.user_id! : `+${person.wa_id}`) : 'erased';
}

function fateOf(store: Store, task: Task): string {
  const status = task.wamid === null ? undefined : reached(store, task.wamid);
  if (status?.status === 'failed') return `failed: ${status.code ?? ''} ${status.title ?? ''}`.trimEnd();
  const fate = status?.status ?? task.state;
  return task.error === null ? fate : `${fate} (${task.error})`.replace(/^failed \((.*)\)$/s, 'failed: $1');
}
