import { randomBytes } from 'node:crypto';
import { canonical } from '@firsthand/evidence/json.ts';
import { commitmentOf, SALT_BYTES, type StatementType } from '@firsthand/evidence/statement.ts';
import { many, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { placeEntries } from './sequencer.ts';

/** A statement with its salt, as a bundle carries it. */
export interface OpenedStatement {
  seq: number;
  statement: Record<string, unknown>;
  /** Base64. */
  salt: string;
}

export interface Subject {
  id: string;
  tenant_id: string;
  livemode: boolean;
  /** How many statements it has, where the caller has read that under the lock. */
  statements?: number;
}

export interface Fact {
  subject: Subject;
  type: StatementType;
  at: Date;
  content: object;
}

/**
 * States facts about different verifications in the transaction that makes them true, each with its pending entry of the log. The
 * caller holds the verifications' locks, so the numbers have no gap and no twin. Undefined members are left out.
 */
export async function appendStatements(
  tx: Tx,
  { keyring }: Pick<Deps, 'keyring'>,
  facts: readonly Fact[],
): Promise<void> {
  const before = await statementsSoFar(tx, facts);
  const rows = facts.map(({ subject, type, at, content }) => {
    const seq = (before.get(subject.id) ?? 0) + 1;
    // Through JSON once, so that dates and undefined members are what will be read back.
    const statement: unknown = JSON.parse(
      JSON.stringify({
        v: 1,
        type,
        tenant_id: subject.tenant_id,
        verification_id: subject.id,
        seq,
        ...(subject.livemode ? {} : { livemode: false }),
        at: at.toISOString(),
        ...content,
      }),
    );
    const salt = randomBytes(SALT_BYTES);
    const commitment = Buffer.from(commitmentOf(salt, statement));
    const sealed = keyring.encrypt(canonical({ salt: salt.toString('base64'), statement }));
    return { id: subject.id, seq, type, sealed, commitment, at };
  });
  await tx.query(
    `with stated as (
       insert into evidence_statements (verification_id, seq, type, sealed, commitment, created_at)
       select * from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[])
     )
     insert into evidence_pending (verification_id, seq, commitment) select * from unnest($1::text[], $2::integer[], $5::bytea[])`,
    [
      rows.map(({ id }) => id),
      rows.map(({ seq }) => seq),
      rows.map(({ type }) => type),
      rows.map(({ sealed }) => sealed),
      rows.map(({ commitment }) => commitment),
      rows.map(({ at }) => at),
    ],
  );
}

async function statementsSoFar(tx: Tx, facts: readonly Fact[]): Promise<Map<string, number>> {
  const unknown = facts.flatMap(({ subject }) => (subject.statements === undefined ? [subject.id] : []));
  const read =
    unknown.length === 0
      ? []
      : await many<{ verification_id: string; seq: number }>(
          tx,
          'select verification_id, max(seq) as seq from evidence_statements where verification_id = any($1) group by verification_id',
          [unknown],
        );
  const found = new Map(read.map(({ verification_id, seq }) => [verification_id, seq]));
  for (const { subject } of facts) if (subject.statements !== undefined) found.set(subject.id, subject.statements);
  return found;
}

/** States one fact: see {@link appendStatements}. */
export const appendStatement = (
  tx: Tx,
  deps: Pick<Deps, 'keyring'>,
  subject: Subject,
  fact: Omit<Fact, 'subject'>,
): Promise<void> => appendStatements(tx, deps, [{ subject, ...fact }]);

/** The statements of a verification in their order. */
export async function openStatements(
  db: Queryable,
  { keyring }: Pick<Deps, 'keyring'>,
  verificationId: string,
): Promise<OpenedStatement[]> {
  const rows = await many<{ seq: number; sealed: string }>(
    db,
    'select seq, sealed from evidence_statements where verification_id = $1 order by seq',
    [verificationId],
  );
  return rows.map(({ seq, sealed }) => ({
    seq,
    ...(JSON.parse(keyring.decrypt(sealed)) as Omit<OpenedStatement, 'seq'>),
  }));
}

/** Where a statement lies in the log, which is what stays of it. */
export interface StatedLeaf {
  verification_id: string;
  seq: number;
  index: number;
  commitment: string;
}

/** The places of all statements of verifications, which the caller has locked. */
export async function leavesOf(tx: Tx, verificationIds: readonly string[]): Promise<StatedLeaf[]> {
  await placeEntries(tx, verificationIds);
  const rows = await many<{ verification_id: string; seq: number; leaf_index: string | null; commitment: Buffer }>(
    tx,
    `select verification_id, seq, leaf_index, commitment from evidence_statements
     where verification_id = any($1) order by verification_id, seq`,
    [verificationIds],
  );
  return rows.map(({ leaf_index, commitment, ...row }) => {
    if (leaf_index === null) throw new Error(`statement ${row.seq} of ${row.verification_id} has no place in the log`);
    return { ...row, index: Number(leaf_index), commitment: commitment.toString('hex') };
  });
}

/** Deletes statements and salts; those on redactions stay. Nobody can say any more what their entries commit to. */
export async function eraseStatements(tx: Tx, verificationIds: readonly string[]): Promise<void> {
  await tx.query("delete from evidence_statements where verification_id = any($1) and type <> 'redaction'", [
    verificationIds,
  ]);
}
