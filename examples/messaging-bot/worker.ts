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
import type { Case, InboxRow, Person, Store, Task } from './store.ts';
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

/** Works on what the store keeps: first the inbox, then one task after the other for each receiver. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #store: Store;
  readonly #log: WorkerOptions['log'];
  readonly #firstWaitMs: number;
  readonly #busy = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #pausedUntil = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#log = options.log;
    this.#firstWaitMs = options.firstWaitMs ?? 2_000;
  }

  /** Works on what is kept. Call it whenever something new came. */
  wake(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#takeInbox();
    let next = Number.POSITIVE_INFINITY;
    for (const task of this.#store.heads()) {
      if (this.#busy.has(task.line)) continue;
      const at = Math.max(task.due_at, this.#pausedUntil);
      if (at > this.#options.now()) next = Math.min(next, at);
      else if (this.#busy.size < AT_ONCE) {
        const done = this.#run(task)
          .catch((error: unknown) => this.#log(`task ${task.id}: ${String(error)}`))
          .finally(() => {
            this.#busy.delete(task.line);
            this.wake();
          });
        this.#busy.set(task.line, done);
      }
    }
    if (next < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(next - this.#options.now(), 1), 60_000));
  }

  /** Each item in a transaction of its own: one that cannot be read stops none behind it. */
  #takeInbox(): void {
    for (const row of this.#store.many<InboxRow>(
      'select * from inbox where outcome is null order by received_at, rowid',
    )) {
      const settle = (outcome: string) =>
        this.#store.run('update inbox set outcome = ?, body = null where key = ?', outcome, row.key);
      let outcome: string;
      try {
        outcome = this.#store.transaction(() => {
          const taken = takeItem(this.#options, row);
          settle(taken);
          return taken;
        });
      } catch (error) {
        outcome = `failed: ${error instanceof Error ? error.message : String(error)}`;
        settle(outcome);
      }
      if (outcome !== 'done') this.#log(`${row.key}: ${outcome}`);
    }
    for (const { id } of this.#store.many<{ id: number }>(REFUSED_FOR_THE_WINDOW, WINDOW_CLOSED)) this.#asTemplate(id);
  }

  async #run(task: Task): Promise<void> {
    try {
      if (task.expires_at !== null && task.expires_at <= this.#options.now())
        throw new Refused('never', `the ${task.kind} expired unsent`);
      if (task.kind === 'create') await this.#create(task);
      else await this.#send(task);
    } catch (error) {
      const refused = error instanceof Refused ? error : new Refused('never', String(error));
      if (refused.next === 'template' && task.template === 0) return this.#asTemplate(task.id);
      if (refused.next === 'later' && task.attempts + 1 < MAX_ATTEMPTS) this.#later(task, refused);
      else this.#giveUp(task, refused.message);
    }
  }

  async #create(task: Task): Promise<void> {
    const { id, captureUrl } = await createVerification(
      this.#options.firsthand,
      { ...this.#options.request, metadata: { bot_case: task.case_id! }, webhook_url: this.#options.webhookUrl },
      `bot-${task.case_id}`,
    );
    this.#store.transaction(() => {
      this.#store.run(
        `update cases set verification_id = ?, capture_url = ?, status = case status when 'wanted' then 'pending' else status end
         where id = ? and status <> 'redacted'`,
        id,
        captureUrl,
        task.case_id,
      );
      this.#finish(task, 'done');
      const open = this.#store.one<Case>('select * from cases where id = ? and closed_at is null', task.case_id);
      if (open && task.person !== null) sendLink(this.#options, open, { id: task.person }, this.#options.texts.link);
    });
  }

  async #send(task: Task): Promise<void> {
    const person =
      task.person === null ? undefined : this.#store.one<Person>('select * from people where id = ?', task.person);
    // At the moment of sending: it may have waited.
    const open = person?.wrote_at != null && this.#options.now() < person.wrote_at + WINDOW_MS;
    const body = messageOf(task, person, !open || task.template === 1, this.#options);
    const sent = await sendMessage(this.#options.graph, body);
    this.#store.transaction(() => {
      this.#finish(task, 'sent', sent);
      if (body.type === 'template') this.#store.run('update tasks set template = 1 where id = ?', task.id);
      if (person) this.#learn(person, sent);
    });
  }

  /** The ids that Meta returns are the ones to send to. */
  #learn(person: Person, { waId, userId }: Sent): void {
    if (waId !== undefined && !this.#store.one('select 1 from people where wa_id = ? and id <> ?', waId, person.id)) {
      this.#store.run('update people set wa_id = ? where id = ?', waId, person.id);
    }
    if (
      userId !== undefined &&
      !this.#store.one('select 1 from people where user_id = ? and id <> ?', userId, person.id)
    ) {
      this.#store.run('update people set user_id = coalesce(user_id, ?) where id = ?', userId, person.id);
    }
  }

  /** A code is forgotten as soon as Meta has it. */
  #finish(task: Task, state: Task['state'], sent?: Sent): void {
    this.#store.run(
      `update tasks set state = ?, wamid = ?, payload = case kind when 'code' then null else payload end where id = ?`,
      state,
      sent?.wamid ?? null,
      task.id,
    );
  }

  #asTemplate(id: number): void {
    const error = 'the 24 hours had passed; sent again as a template';
    this.#store.run(
      `update tasks set state = 'waiting', template = 1, wamid = null, due_at = ?, error = ? where id = ?`,
      this.#options.now(),
      error,
      id,
    );
    this.#log(`task ${id}: ${error}`);
  }

  /** Doubles the wait and draws from its upper half, so that receivers do not come back together. */
  #later(task: Task, { message, everybody }: Refused): void {
    const longest = Math.min(this.#firstWaitMs * 2 ** task.attempts, LONGEST_WAIT_MS);
    const dueAt = Math.round(this.#options.now() + longest * (0.5 + Math.random() / 2));
    if (everybody) this.#pausedUntil = Math.max(this.#pausedUntil, dueAt);
    this.#store.run(
      'update tasks set attempts = attempts + 1, due_at = ?, error = ? where id = ?',
      dueAt,
      message,
      task.id,
    );
    this.#log(`task ${task.id}: ${message}; tried again in ${dueAt - this.#options.now()} ms`);
  }

  #giveUp(task: Task, message: string): void {
    this.#store.transaction(() => {
      this.#finish(task, 'failed');
      this.#store.run('update tasks set error = ? where id = ?', message, task.id);
      if (task.kind === 'create') {
        // Closed, so that this person's next message tries anew.
        this.#store.run(
          `update cases set status = 'failed', error = ?, closed_at = ? where id = ?`,
          message,
          this.#options.now(),
          task.case_id,
        );
      }
    });
    this.#log(
      `task ${task.id}: ${task.kind === 'code' ? 'the code was not delivered' : `${task.kind} failed`}: ${message}`,
    );
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#busy.values());
  }
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
