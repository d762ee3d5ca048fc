import { type Conversation, sendLink, takeItem } from './conversation.ts';
import {
  createVerification,
  type FirsthandApi,
  type Graph,
  Refused,
  type Sent,
  sendMessage,
  WINDOW_CLOSED,
} from './outside.ts';
import type { Case, InboxRow, Person, Task } from './store.ts';
import type { Json } from './whatsapp.ts';

/** Free messages reach a person for 24 hours after they wrote. A minute less, so that none is late on its way. */
const WINDOW_MS = 24 * 3_600_000 - 60_000;
const MAX_ATTEMPTS = 6;
const LONGEST_WAIT_MS = 10 * 60_000;
const AT_ONCE = 8;

interface Templates {
  language: string;
  link: string;
  text: string;
  code: string;
}

export interface WorkerOptions extends Conversation {
  graph: Graph;
  firsthand: FirsthandApi;
  /** Of each verification, without `tenant_id`, `metadata` and `webhook_url`. */
  request: Json;
  /** Where Firsthand posts its webhooks. */
  webhookUrl: string;
  templates: Templates;
  log(line: string): void;
  /** The wait after the first failure; each later one is twice as long at most. */
  firstWaitMs?: number;
}

export interface Worker {
  /** Works on what is kept. Call it whenever something new came. */
  wake(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

export function createWorker(options: WorkerOptions): Worker {
  const { store, now, log, firstWaitMs = 2_000 } = options;
  const busy = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let pausedUntil = 0;

  function wake(): void {
    if (stopped) return;
    clearTimeout(timer);
    takeInbox();
    let next = Number.POSITIVE_INFINITY;
    for (const task of store.heads()) {
      if (busy.has(task.line)) continue;
      const at = Math.max(task.due_at, pausedUntil);
      if (at > now()) next = Math.min(next, at);
      else if (busy.size < AT_ONCE) {
        const done = run(task)
          .catch((error: unknown) => log(`task ${task.id}: ${String(error)}`))
          .finally(() => {
            busy.delete(task.line);
            wake();
          });
        busy.set(task.line, done);
      }
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(Math.max(next - now(), 1), 60_000));
  }

  /** Each item in a transaction of its own: one that cannot be read stops none behind it. */
  function takeInbox(): void {
    for (const row of store.many<InboxRow>('select * from inbox where outcome is null order by received_at, rowid')) {
      const settle = (outcome: string) =>
        store.run('update inbox set outcome = ?, body = null where key = ?', outcome, row.key);
      let outcome: string;
      try {
        outcome = store.transaction(() => {
          const taken = takeItem(options, row);
          settle(taken);
          return taken;
        });
      } catch (error) {
        outcome = `failed: ${error instanceof Error ? error.message : String(error)}`;
        settle(outcome);
      }
      if (outcome !== 'done') log(`${row.key}: ${outcome}`);
    }
    for (const { id } of store.many<{ id: number }>(REFUSED_FOR_THE_WINDOW, WINDOW_CLOSED)) asTemplate(id);
  }

  async function run(task: Task): Promise<void> {
    try {
      if (task.expires_at !== null && task.expires_at <= now())
        throw new Refused('never', `the ${task.kind} expired unsent`);
      if (task.kind === 'create') await create(task);
      else await send(task);
    } catch (error) {
      const refused = error instanceof Refused ? error : new Refused('never', String(error));
      if (refused.next === 'template' && task.template === 0) return asTemplate(task.id);
      if (refused.next === 'later' && task.attempts + 1 < MAX_ATTEMPTS) later(task, refused);
      else giveUp(task, refused.message);
    }
  }

  async function create(task: Task): Promise<void> {
    const { id, captureUrl } = await createVerification(
      options.firsthand,
      { ...options.request, metadata: { bot_case: task.case_id! }, webhook_url: options.webhookUrl },
      `bot-${task.case_id}`,
    );
    store.transaction(() => {
      store.run(
        `update cases set verification_id = ?, capture_url = ?, status = case status when 'wanted' then 'pending' else status end
         where id = ? and status <> 'redacted'`,
        id,
        captureUrl,
        task.case_id,
      );
      finish(task, 'done');
      const open = store.one<Case>('select * from cases where id = ? and closed_at is null', task.case_id);
      if (open && task.person !== null) sendLink(options, open, { id: task.person }, options.texts.link);
    });
  }

  async function send(task: Task): Promise<void> {
    const person =
      task.person === null ? undefined : store.one<Person>('select * from people where id = ?', task.person);
    // At the moment of sending: it may have waited.
    const open = person?.wrote_at != null && now() < person.wrote_at + WINDOW_MS;
    const body = messageOf(task, person, !open || task.template === 1, options);
    const sent = await sendMessage(options.graph, body);
    store.transaction(() => {
      finish(task, 'sent', sent);
      if (body.type === 'template') store.run('update tasks set template = 1 where id = ?', task.id);
      if (person) learn(person, sent);
    });
  }

  /** The ids that Meta returns are the ones to send to. */
  function learn(person: Person, { waId, userId }: Sent): void {
    if (waId !== undefined && !store.one('select 1 from people where wa_id = ? and id <> ?', waId, person.id)) {
      store.run('update people set wa_id = ? where id = ?', waId, person.id);
    }
    if (userId !== undefined && !store.one('select 1 from people where user_id = ? and id <> ?', userId, person.id)) {
      store.run('update people set user_id = coalesce(user_id, ?) where id = ?', userId, person.id);
    }
  }

  /** A code is forgotten as soon as Meta has it. */
  const finish = (task: Task, state: Task['state'], sent?: Sent) =>
    store.run(
      `update tasks set state = ?, wamid = ?, payload = case kind when 'code' then null else payload end where id = ?`,
      state,
      sent?.wamid ?? null,
      task.id,
    );

  function asTemplate(id: number): void {
    const error = 'the 24 hours had passed; sent again as a template';
    store.run(
      `update tasks set state = 'waiting', template = 1, wamid = null, due_at = ?, error = ? where id = ?`,
      now(),
      error,
      id,
    );
    log(`task ${id}: ${error}`);
  }

  /** Doubles the wait and draws from its upper half, so that receivers do not come back together. */
  function later(task: Task, { message, everybody }: Refused): void {
    const longest = Math.min(firstWaitMs * 2 ** task.attempts, LONGEST_WAIT_MS);
    const dueAt = Math.round(now() + longest * (0.5 + Math.random() / 2));
    if (everybody) pausedUntil = Math.max(pausedUntil, dueAt);
    store.run('update tasks set attempts = attempts + 1, due_at = ?, error = ? where id = ?', dueAt, message, task.id);
    log(`task ${task.id}: ${message}; tried again in ${dueAt - now()} ms`);
  }

  function giveUp(task: Task, message: string): void {
    store.transaction(() => {
      finish(task, 'failed');
      store.run('update tasks set error = ? where id = ?', message, task.id);
      if (task.kind === 'create') {
        // Closed, so that this person's next message tries anew.
        store.run(
          `update cases set status = 'failed', error = ?, closed_at = ? where id = ?`,
          message,
          now(),
          task.case_id,
        );
      }
    });
    log(`task ${task.id}: ${task.kind === 'code' ? 'the code was not delivered' : `${task.kind} failed`}: ${message}`);
  }

  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.all(busy.values());
    },
  };
}

/** Free messages that Meta took and refused later because the window had closed, unless another status says they arrived. */
const REFUSED_FOR_THE_WINDOW = `
  select tasks.id from tasks join statuses failed on failed.wamid = tasks.wamid
  where tasks.state = 'sent' and tasks.template = 0 and failed.status = 'failed' and failed.code = ?
    and not exists (select 1 from statuses s where s.wamid = tasks.wamid and s.status in ('delivered', 'read', 'played'))`;

/** The body for Meta's messages endpoint. A number goes into `to`, a user id into `recipient`. */
function messageOf(task: Task, person: Person | undefined, asTemplate: boolean, o: WorkerOptions): Json {
  const { text, url, code, to } = JSON.parse(task.payload ?? '{}') as Record<string, string | undefined>;
  const receiver = to ?? person?.wa_id ?? undefined;
  if (receiver === undefined && !person?.user_id) throw new Refused('never', 'the person was erased');
  const common = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(receiver === undefined ? { recipient: person!.user_id } : { to: receiver }),
  };
  const template = (name: string, components: Json[]) => ({
    ...common,
    type: 'template',
    template: { name, language: { code: o.templates.language }, components },
  });
  const body = (value: string) => ({ type: 'body', parameters: [{ type: 'text', text: value }] });
  if (task.kind === 'code') {
    const button = { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: code }] };
    return template(o.templates.code, [body(code!), button]);
  }
  if (asTemplate)
    return task.kind === 'link' ? template(o.templates.link, [body(url!)]) : template(o.templates.text, [body(text!)]);
  if (task.kind === 'text') return { ...common, type: 'text', text: { preview_url: false, body: text } };
  const parameters = { display_text: o.texts.button, url };
  return {
    ...common,
    type: 'interactive',
    interactive: { type: 'cta_url', body: { text }, action: { name: 'cta_url', parameters } },
  };
}
