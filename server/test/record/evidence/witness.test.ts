import { utf8 } from '@firsthand/evidence/bytes.ts';
import { checkpointText, parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { consistencyRanges, leafHash, rangeHash, rootOf } from '@firsthand/evidence/merkle.ts';
import {
  ED25519,
  parseNote,
  parseVkey,
  signNote,
  type Verifier,
  verifierOf,
  verifyNote,
  vkeyOf,
} from '@firsthand/evidence/note.ts';
import type { Report } from '@firsthand/evidence/report.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { newSigner, nodesOver } from '../../../../evidence/test/build.ts';
import { testdata } from '../../../../evidence/test/vectors.ts';
import { cosign } from '../../../src/record/evidence/cosign.ts';
import { rotateKeys } from '../../../src/record/evidence/log.ts';
import { startLog } from '../../../src/record/evidence/run.ts';
import { formatAddCheckpoint } from '../../../src/record/evidence/witness-protocol.ts';
import { checkBundle, downloadBundle } from '../../support/bundle.ts';
import { completedVerification } from '../../support/completed.ts';
import { ask, type TestService, until } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const CASES = testdata<{
  origin: string;
  key: string;
  cases: { body: string; status: number; contains?: string; equals?: string }[];
}>('litewitness.json');

const post = async (service: { url: string }, body: string) => {
  const answer = await fetch(`${service.url}/witness/add-checkpoint`, { method: 'POST', body });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
const vkeyText = async (service: { url: string }) =>
  (await fetch(`${service.url}/witness/vkey`).then(answer => answer.text())).trim();

describe('POST /witness/add-checkpoint', () => {
  const log = newSigner('grows.example/log');
  const sigsum = verifierOf(CASES.origin, Buffer.from(CASES.key, 'hex'), ED25519);
  const service = serviceOfSuite({ worker: false, env: { WITNESS_FOR: `${vkeyOf(sigsum)}, ${vkeyOf(log)}` } });

  const leaves = Array.from({ length: 9 }, (_, index) => leafHash(utf8(`entry ${index}`)));
  const head = (size: bigint, tree = leaves) =>
    signNote(checkpointText({ origin: log.name, size, root: rootOf(size, nodesOver(tree)) }), log);

  it('answers the requests of litewitness as litewitness does, but 404 for an unknown log, as the protocol has it now', async () => {
    const witness = parseVkey(await vkeyText(service));
    for (const [at, { body, status, equals }] of CASES.cases.entries()) {
      const reply = await post(service, body);
      const unknown = !body.includes(`\n${CASES.origin}\n`);
      expect([at, reply.status]).toEqual([at, unknown ? 404 : status]);
      if (equals !== undefined) expect([reply.text, reply.type]).toEqual([equals, 'text/x.tlog.size']);
      if (status !== 200) continue;
      const note = parseNote(utf8(body.slice(body.indexOf('\n\n') + 2) + reply.text));
      const [found] = verifyNote(note, [witness]);
      expect(Number(found!.at)).toBeGreaterThan(1_700_000_000);
    }
  });

  it('answers what has not its form with 400, and reads no more than it takes', async () => {
    const note = head(1n);
    for (const body of [
      '',
      note,
      `old 01\n\n${note}`,
      `old -1\n\n${note}`,
      `old 2\n\n${note}`,
      `old 0\nAAAA\n\n${note}`,
      `old 0\n${'KgEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'.repeat(64)}\n${note}`,
      `old 0\n\n${signNote(`${log.name}\nno checkpoint\n`, log)}`,
    ]) {
      expect([body.slice(0, 20), (await post(service, body)).status]).toEqual([body.slice(0, 20), 400]);
    }
    expect((await post(service, `old 0\n\n${note}${'x'.repeat(70_000)}`)).status).toBeGreaterThanOrEqual(400);
  });

  it('never cosigns two states of one size, nor a log that lost an entry, and stays where it was', async () => {
    expect((await post(service, formatAddCheckpoint({ old: 0n, proof: [], note: head(4n) }))).status).toBe(200);
    // The same state again is no fork.
    expect((await post(service, formatAddCheckpoint({ old: 4n, proof: [], note: head(4n) }))).status).toBe(200);
    const other = [...leaves.slice(0, 3), leafHash(utf8('forged')), ...leaves.slice(4)];
    const fork = await post(service, formatAddCheckpoint({ old: 4n, proof: [], note: head(4n, other) }));
    expect([fork.status, fork.text]).toEqual([409, '4\n']);
    const hashes = proofOf(4n, 8n, other);
    const grown = await post(service, formatAddCheckpoint({ old: 4n, proof: hashes, note: head(8n, other) }));
    expect(grown.status).toBe(422);
    expect(service.logged.join('\n')).toContain('a log was forked');
    // What it logged keeps both signed notes.
    expect(service.logged.find(line => line.includes('a log was forked'))).toContain(log.name);
    const good = proofOf(4n, 8n, leaves);
    const next = await post(service, formatAddCheckpoint({ old: 4n, proof: good, note: head(8n) }));
    expect(next.status).toBe(200);
  });

  it('lets one of two requests through that race from the same state', async () => {
    const body = formatAddCheckpoint({ old: 8n, proof: proofOf(8n, 9n, leaves), note: head(9n) });
    const replies = await Promise.all([post(service, body), post(service, body)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  const proofOf = (old: bigint, size: bigint, tree: Uint8Array[]) =>
    consistencyRanges(old, size).map(range => rangeHash(range, nodesOver(tree)));
});

const reportOn = async (service: TestService, id: string, witness: Verifier) =>
  checkBundle(service, await downloadBundle(service, id), { witnesses: [witness] });

describe('two installations that witness each other', () => {
  // Each needs the other's key, which is there after the start.
  const startOf = (name: string) => ({ EVIDENCE_ORIGIN: `${name}.example/log`, WITNESS_FOR: vkeyOf(newSigner()) });
  const one = serviceOfSuite({ env: startOf('one') });
  const other = serviceOfSuite({ env: startOf('other') });
  const both = [
    [one, other],
    [other, one],
  ] as const;
  beforeAll(async () => {
    for (const [service, peer] of both) {
      const { keys } = (await ask<{ keys: { role: string; vkey: string }[] }>(peer, '/v1/evidence-keys')).body;
      service.deps.config.witnessFor.push(parseVkey(keys.find(key => key.role === 'log')!.vkey));
    }
  });

  it('cosigns the published states of the other, and the bundle carries the cosignature', async () => {
    for (const [service, peer] of both) {
      const verifier = parseVkey(await vkeyText(peer));
      service.deps.config.witnesses.push({ verifier, url: `${peer.url}/witness` });
    }
    const running = [startLog(one.deps), startLog(other.deps)];
    const before: { service: TestService; id: string; witness: Verifier; seen: Report['witnesses'] }[] = [];
    try {
      for (const [service, peer] of both) {
        const witness = parseVkey(await vkeyText(peer));
        for (const round of [1, 2]) {
          const { id } = await completedVerification(service);
          await until(async () => {
            const note = parseNote(Buffer.from(await (await fetch(`${service.url}/log/checkpoint`)).arrayBuffer()));
            return parseCheckpoint(note.text).size >= BigInt(2 * round) && verifyNote(note, [witness]).length === 1;
          }, `cosignature ${round}`);
          const report = await reportOn(service, id, witness);
          expect(report).toMatchObject({ exit_code: 0, faults: [] });
          expect(report.witnesses).toMatchObject([{ name: witness.name }]);
          if (round === 2) before.push({ service, id, witness, seen: report.witnesses });
        }
      }
    } finally {
      await Promise.all(running.map(log => log.stop()));
    }
    // Signed anew after a rotation, a bundle keeps the cosignature that says when its state was seen.
    for (const { service, id, witness, seen } of before) {
      await rotateKeys(service.deps);
      expect(await reportOn(service, id, witness)).toMatchObject({ exit_code: 0, faults: [], witnesses: seen });
    }
    expect(before).toHaveLength(2);
  });

  it('goes on without a witness that is away, and says so once', async () => {
    const away = newSigner('away.example/witness', 0x04);
    one.deps.config.witnesses.splice(0, 1, { verifier: away, url: 'http://127.0.0.1:9/witness' });
    // The service's own worker may be asking at this moment; then `cosign` leaves it to the worker.
    for (const asked of ['first', 'again'])
      await until(async () => !(await cosign(one.deps)), `the witness asked ${asked}`);
    expect(one.logged.filter(line => line.includes('a witness did not cosign'))).toHaveLength(1);
    const { id } = await completedVerification(one);
    expect((await checkBundle(one, await downloadBundle(one, id))).witnesses).toEqual([]);
  });
});
