import { DatabaseSync } from 'node:sqlite';
import { variantsOf } from './numbers.ts';

const SCHEMA = `
create table if not exists inbox (
  -- What makes a delivery unique: whoever repeats it changes nothing.
  key text primary key,
  kind text not null,
  body text,
  received_at integer not null,
  -- null while it waits
  outcome text
) strict;
create index if not exists inbox_waiting on inbox (received_at) where outcome is null;

create table if not exists people (
  id integer primary key,
  user_id text unique,
  wa_id text unique,
  wrote_at integer
) strict;

create table if not exists cases (
  id text primary key,
  person integer references people on delete set null,
  status text not null default 'wanted',
  verification_id text unique,
  capture_url text,
  sequence integer not null default 0,
  error text,
  opened_at integer not null,
  closed_at integer
) strict;
create unique index if not exists open_cases on cases (person) where closed_at is null;

create table if not exists tasks (
  id integer primary key autoincrement,
  -- The receiver: one task at a time for each, in order.
  line text not null,
  kind text not null,
  person integer,
  case_id text,
  payload text,
  state text not null default 'waiting',
  template integer not null default 0,
  attempts integer not null default 0,
  due_at integer not null,
  expires_at integer,
  wamid text unique,
  error text
) strict;
create index if not exists tasks_waiting on tasks (line, id) where state = 'waiting';

create table if not exists statuses (
  wamid text not null,
  status text not null,
  at integer not null,
  code integer,
  title text,
  primary key (wamid, status)
) strict;
`;

export interface InboxRow {
  key: string;
  kind: string;
  body: string;
  received_at: number;
}

export interface Person {
  id: number;
  /** Business-scoped. */
  user_id: string | null;
  /** As Meta writes it; nobody corrects it. */
  wa_id: string | null;
  /** When their newest message was written, in milliseconds. */
  wrote_at: number | null;
}

export interface Case {
  id: string;
  person: number | null;
  status: string;
  verification_id: string | null;
  capture_url: string | null;
  sequence: number;
  error: string | null;
  opened_at: number;
  closed_at: number | null;
}

export interface Task {
  id: number;
  line: string;
  kind: 'create' | 'link' | 'text' | 'code';
  person: number | null;
  case_id: string | null;
  payload: string | null;
  state: 'waiting' | 'sent' | 'done' | 'failed';
  /** 1: a free message was refused because the window had closed. */
  template: number;
  attempts: number;
  due_at: number;
  expires_at: number | null;
  wamid: string | null;
  error: string | null;
}

type Value = string | number | null;

/** Everything the bot must not forget. A write has reached the disk when its transaction returns. */
export class Store {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    this.#db.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on; pragma busy_timeout = 5000',
    );
    this.#db.exec(SCHEMA);
  }

  close(): void {
    this.#db.close();
  }

  transaction<T>(work: () => T): T {
    this.#db.exec('begin immediate');
    try {
      const result = work();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      this.#db.exec('rollback');
      throw error;
    }
  }

  run(sql: string, ...values: Value[]): number {
    return Number(this.#db.prepare(sql).run(...values).changes);
  }

  one<T>(sql: string, ...values: Value[]): T | undefined {
    return this.#db.prepare(sql).get(...values) as T | undefined;
  }

  many<T>(sql: string, ...values: Value[]): T[] {
    return this.#db.prepare(sql).all(...values) as T[];
  }

  /** Keeps what arrived in one transaction; returns how many were new. */
  keep(items: readonly { key: string; kind: string; body: unknown }[], now: number): number {
    return this.transaction(() =>
      items.reduce(
        (kept, { key, kind, body }) =>
          kept +
          this.run(
            'insert into inbox (key, kind, body, received_at) values (?, ?, ?, ?) on conflict do nothing',
            key,
            kind,
            JSON.stringify(body),
            now,
          ),
        0,
      ),
    );
  }

  /**
   * Returns the person with these ids, and makes one where there is none. The user id decides. A number belongs to whoever used it last,
   * so somebody else's user id with a known number is another person.
   */
  personOf({ userId, waId }: { userId?: string | undefined; waId?: string | undefined }): Person {
    const byUser =
      userId === undefined ? undefined : this.one<Person>('select * from people where user_id = ?', userId);
    const byNumber = waId === undefined ? undefined : this.byNumber(waId);
    const known = byUser ?? (byNumber && (userId === undefined || byNumber.user_id === null) ? byNumber : undefined);
    if (byNumber && byNumber.id !== known?.id) this.run('update people set wa_id = null where id = ?', byNumber.id);
    if (!known) {
      this.run('insert into people (user_id, wa_id) values (?, ?)', userId ?? null, waId ?? null);
      return this.one<Person>('select * from people where id = last_insert_rowid()')!;
    }
    this.run(
      'update people set user_id = coalesce(?, user_id), wa_id = coalesce(?, wa_id) where id = ?',
      userId ?? null,
      waId ?? null,
      known.id,
    );
    return this.one<Person>('select * from people where id = ?', known.id)!;
  }

  /** The person with this number in any of its valid forms. */
  byNumber(number: string): Person | undefined {
    for (const variant of variantsOf(number)) {
      const found = this.one<Person>('select * from people where wa_id = ?', variant);
      if (found) return found;
    }
    return undefined;
  }

  addTask(task: Pick<Task, 'line' | 'kind'> & Partial<Task>, now: number): void {
    this.run(
      'insert into tasks (line, kind, person, case_id, payload, due_at, expires_at) values (?, ?, ?, ?, ?, ?, ?)',
      task.line,
      task.kind,
      task.person ?? null,
      task.case_id ?? null,
      task.payload ?? null,
      now,
      task.expires_at ?? null,
    );
  }

  /** The first waiting task of each receiver: those behind it wait for it. */
  heads(): Task[] {
    return this.many<Task>(
      `select * from tasks where id in (select min(id) from tasks where state = 'waiting' group by line) order by due_at, id`,
    );
  }

  /** Forgets what nobody needs: deliveries are repeated for seven days, cases are shown for thirty. */
  forget(now: number): void {
    const daysAgo = (days: number) => now - days * 86_400_000;
    this.transaction(() => {
      this.run('delete from inbox where outcome is not null and received_at < ?', daysAgo(8));
      this.run(`delete from tasks where state <> 'waiting' and due_at < ?`, daysAgo(30));
      this.run('delete from cases where closed_at < ?', daysAgo(30));
      this.run('delete from statuses where at < ?', daysAgo(30));
      this.run(
        `delete from people where coalesce(wrote_at, 0) < ? and id not in (select person from cases where person is not null)
           and id not in (select person from tasks where person is not null)`,
        daysAgo(30),
      );
    });
  }
}
