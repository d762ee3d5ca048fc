import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import { equal, hex } from '@firsthand/evidence/bytes.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  rangeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '@firsthand/evidence/merkle.ts';
import { parseNote, parseVkey, verifyNote } from '@firsthand/evidence/note.ts';
import { commitmentOf, entryOf } from '@firsthand/evidence/statement.ts';
import { foldTile, nodeInTile, parseEntryBundle, tileOf, tilePath, widthAt } from '@firsthand/evidence/tiles.ts';
import { parseTrust } from '@firsthand/evidence/trust.ts';
import { describe, expect, it } from 'vitest';
import { one, transaction } from '../../../src/platform/db/sql.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import { rotateKeys } from '../../../src/record/evidence/log.ts';
import { checkHighWater, publish } from '../../../src/record/evidence/publisher.ts';
import { appendStatement, openStatements } from '../../../src/record/evidence/statements.ts';
import { loadNodes } from '../../../src/record/evidence/tiles.ts';
import { checkSeals } from '../../../src/verification/verifications/check-seals.ts';
import { completedVerification } from '../../support/completed.ts';
import { ask, createVerification, submit, until, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite();

const bytesAt = async (path: string) => {
  const answer = await fetch(`${service.url}${path}`);
  return answer.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : null;
};

async function checkpoint() {
  const note = parseNote((await bytesAt('/log/checkpoint'))!);
  const { body } = await ask<{ keys: { vkey: string }[] }>(service, '/v1/evidence-keys');
  expect(
    verifyNote(
      note,
      body.keys.map(key => parseVkey(key.vkey)),
    ),
  ).toHaveLength(1);
  return parseCheckpoint(note.text);
}

const published = (size: bigint) =>
  until(async () => {
    const found = await checkpoint().catch(() => null);
    return found && found.size >= size ? found : null;
  }, `a checkpoint of ${size} entries`);

const subjectOf = (id: string) => ({ id, tenant_id: service.tenant.tenant_id, livemode: false });

/** Pending entries of a verification that exists, as if it had many facts. */
async function state(verificationId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    const fact = { type: 'review', at: new Date(), content: { left } } as const;
    await transaction(service.deps.db, tx => appendStatement(tx, service.deps, subjectOf(verificationId), fact));
  }
}

describe('GET /log', () => {
  it('has an entry for each capture and verdict, provable from nothing but the tiles', async () => {
    const { id } = await createVerification(service, { max_captures: 2 });
    for (const colour of ['#abc', '#def'])
      expect((await submit(service, id, await plain({ colour }))).status).toBe(201);
    await untilStatus(service, id, ['completed']);
    const head = await published(3n);
    expect(head.origin).toBe(`${new URL(service.url).host}/log`);

    const width = widthAt(0, 0n, head.size);
    const tile = (await bytesAt(`/log/tile/${tilePath({ level: 0, index: 0n, width })}`))!;
    const entries = parseEntryBundle(
      (await bytesAt(`/log/tile/${tilePath({ level: 'entries', index: 0n, width })}`))!,
    )!;
    expect(entries.map(entry => hex(leafHash(entry))).join('')).toBe(hex(tile));
    expect(hex(rootOf(head.size, node => nodeInTile(tile, node)))).toBe(hex(head.root));

    const stated = await openStatements(service.deps.db, service.deps, id);
    expect(stated.map(({ seq, statement }) => [seq, statement.seq, statement.type])).toEqual([
      [1, 1, 'capture'],
      [2, 2, 'capture'],
      [3, 3, 'verdict'],
    ]);
    for (const { seq, statement, salt } of stated) {
      const row = await one<{ leaf_index: string }>(
        service.deps.db,
        'select leaf_index from evidence_statements where verification_id = $1 and seq = $2',
        [id, seq],
      );
      const leaf = leafHash(entryOf(commitmentOf(Buffer.from(salt, 'base64'), statement)));
      const index = BigInt(row!.leaf_index);
      const proof = inclusionRanges(index, head.size).map(range => rangeHash(range, node => nodeInTile(tile, node)));
      expect(verifyInclusion({ leaf, index, size: head.size, proof, root: head.root })).toBe(true);
    }
  });

  it('reveals no tenant, time or verification in its tiles', async () => {
    const { rows } = await service.deps.db.query<{ bytes: Buffer }>('select bytes from evidence_tiles');
    for (const { bytes } of rows) expect(bytes.toString('latin1')).not.toMatch(/tnt_|vfy_|capture|202\d-/);
  });

  it('answers 404 for an unpublished tile or another path, and has no witness unless it witnesses for somebody', async () => {
    for (const path of ['0/000', '0/001.p/1', 'entries/000.p/255', '0/0', '9/000', '0/000.p/0']) {
      expect((await fetch(`${service.url}/log/tile/${path}`)).status).toBe(404);
    }
    expect((await fetch(`${service.url}/witness/vkey`)).status).toBe(404);
    expect((await fetch(`${service.url}/witness/add-checkpoint`, { method: 'POST', body: 'old 0\n\n' })).status).toBe(
      404,
    );
  });

  it('grows over full tiles, with every state consistent with every other', async () => {
    const { id } = await createVerification(service);
    const heads = [await published(1n)];
    for (const count of [100, 200, 300]) {
      await state(id, count);
      heads.push(await published(heads.at(-1)!.size + BigInt(count)));
    }
    const log = await one<{ id: number }>(service.deps.db, 'select id from evidence_logs');
    for (const [at, later] of heads.entries()) {
      for (const earlier of heads.slice(0, at)) {
        const ranges = consistencyRanges(earlier.size, later.size);
        const hashOf = await loadNodes(service.deps.db, log!.id, ranges);
        const proof = ranges.map(range => rangeHash(range, hashOf));
        expect(
          verifyConsistency({ old: earlier.size, oldRoot: earlier.root, size: later.size, root: later.root, proof }),
        ).toBe(true);
      }
    }
    expect(tileOf({ height: 8, index: 0n }).level).toBe(1);
    const above = await bytesAt(`/log/tile/1/000.p/${widthAt(1, 0n, heads.at(-1)!.size)}`);
    const below = await bytesAt('/log/tile/0/000');
    expect(equal(foldTile(below!), above!.slice(0, 32))).toBe(true);
  });

  it('ignores what another node adds and publishes while it looks for a restored database', async () => {
    await completedVerification(service);
    const { size } = await until(async () => {
      const { size } = (await one<{ size: string }>(service.deps.db, 'select size from evidence_logs'))!;
      const found = await checkpoint().catch(() => null);
      return found?.size === BigInt(size) && found;
    }, 'every entry to be signed');
    let met = 0;
    const slow: Deps = {
      ...service.deps,
      blobs: Object.create(service.deps.blobs, {
        get: {
          value: async (...args: Parameters<Deps['blobs']['get']>) => {
            met += 1;
            await completedVerification(service);
            await published(size + 2n * BigInt(met));
            return service.deps.blobs.get(...args);
          },
        },
      }),
    };
    await checkHighWater(slow);
    expect(met).toBe(1);
    await publish(slow);
    const { rows } = await service.deps.db.query('select id from evidence_logs');
    expect(rows).toHaveLength(1);
  });

  it('undoes the entry with the transaction of its fact', async () => {
    const { id } = await createVerification(service);
    await expect(
      transaction(service.deps.db, async tx => {
        await appendStatement(tx, service.deps, subjectOf(id), { type: 'review', at: new Date(), content: {} });
        throw new Error('the fact fails');
      }),
    ).rejects.toThrow('the fact fails');
    expect(await openStatements(service.deps.db, service.deps, id)).toEqual([]);
  });

  it('continues under rotated keys and lists the old ones as retired', async () => {
    const { keys: before } = (await ask<EvidenceKeys>(service, '/v1/evidence-keys')).body;
    await rotateKeys(service.deps);
    const { body } = await ask<EvidenceKeys>(service, '/v1/evidence-keys');
    expect(body.keys).toHaveLength(before.length + 2);
    const retired = body.keys.filter(key => key.retired_at).map(key => key.vkey);
    expect(retired.sort()).toEqual(before.map(key => key.vkey).sort());
    expect(parseTrust(JSON.stringify(body))).toHaveLength(4);
    const current = body.keys.filter(key => !key.retired_at).map(key => parseVkey(key.vkey));
    await until(async () => {
      const note = await bytesAt('/log/checkpoint');
      return note && verifyNote(parseNote(note), current).length === 1;
    }, 'a checkpoint signed with the new key');
  });
});

describe('seal', () => {
  it('is made at completion and reveals a changed row', async () => {
    const { id } = await completedVerification(service);
    const stated = await openStatements(service.deps.db, service.deps, id);
    const row = await one<{ seal_hash: string }>(service.deps.db, 'select seal_hash from verifications where id = $1', [
      id,
    ]);
    expect((stated.at(-1)!.statement.record_seal as { hash: string }).hash).toBe(row!.seal_hash);
    const mismatches = async () => (await service.deps.metrics.sealMismatches.get()).values[0]?.value ?? 0;
    const before = await mismatches();
    await ask(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(await mismatches()).toBe(before);
    await service.deps.db.query(
      `update verifications set config = jsonb_set(config, '{metadata}', '{"a":"changed"}') where id = $1`,
      [id],
    );
    await ask(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(await mismatches()).toBe(before + 1);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      `firsthand_seal_mismatches_total ${before + 1}`,
    );
    const checked = await checkSeals(service.deps.db);
    expect(checked.mismatches).toEqual([id]);
    expect(checked.sealed).toBeGreaterThan(1);
    const { databaseUrl, dataDir, encryptionKeys } = service.deps.config;
    const doctor = spawnSync(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'doctor'], {
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl!,
        DATA_DIR: dataDir,
        ENCRYPTION_KEYS: encryptionKeys!.map(key => key.toString('base64')).join(','),
      },
    });
    expect(doctor.status).toBe(1);
    expect(doctor.stdout.toString()).toContain(`Record seals: 1 of ${checked.sealed} do not match`);
    expect(doctor.stdout.toString()).toContain(id);
  });
});
