import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { Statistics } from '@firsthand/contract/statistics/statistics.ts';
import type { VerificationEvent } from '@firsthand/contract/webhooks/webhooks.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { parseNote } from '@firsthand/evidence/note.ts';
import { parseTrust } from '@firsthand/evidence/trust.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { Firsthand } from '@firsthand/sdk';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import { type Fleet, firsthand } from './fleet.ts';
import type { Acknowledged, Load } from './load.ts';

/** Each start of an API node makes a verification for the link that it prints. */
const OURS = "config -> 'metadata' ? 'serial'";
/** What no longer waits once all is done: a name and how many there are. */
const WAITING = `select 'photos without analysis' as what, count(*)::int as n from captures where analysis_state = 'pending'
  union all select 'verifications without verdict', count(*) from verifications where status <> 'completed' and ${OURS}
  union all select 'events without announcement', count(*) from event_outbox
  union all select 'webhooks not delivered', count(*) from webhook_deliveries where status <> 'succeeded'
  union all select 'webhooks in the queue', count(*) from webhook_queue
  union all select 'entries without a place in the log', count(*) from evidence_pending
  union all select 'entries that no checkpoint signs', count(*) from evidence_logs where size > checkpoint_size
  union all select 'jobs', count(*) from graphile_worker.jobs where run_at <= now()
  union all select 'slow jobs', count(*) from slow_jobs`;

const COUNTED = ['created', 'completed', 'failed', 'verified'] as const;

export class Checker {
  readonly #fleet: Fleet;
  readonly #load: Load;
  readonly #receiver: WebhookReceiver;
  readonly #url: string;
  readonly #client: Firsthand;
  #checked = 0;

  constructor({ fleet, load, receiver }: { fleet: Fleet; load: Load; receiver: WebhookReceiver }) {
    this.#fleet = fleet;
    this.#load = load;
    this.#receiver = receiver;
    this.#url = fleet.proxy.url;
    // All is settled: a second try would hide a fault.
    // The proxy answers 503 while no node is ready, as on a machine that does many other things.
    this.#client = new Firsthand(fleet.tenant.pk_test, { baseUrl: this.#url, maxRetries: 5 });
  }

  /** Waits until nothing waits any more. Resolves to what waited longest, and to what still does after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<{ last: string; left: string[] }> {
    const deadline = performance.now() + timeoutMs;
    let last = '';
    for (;;) {
      const left = await this.#waiting().catch(error => [`the database: ${error.message}`]);
      if (left.length === 0 || performance.now() > deadline) return { last, left };
      last = left.join(', ');
      await sleep(100);
    }
  }

  /** Holds everything that was acknowledged since the last check against what the service says now. */
  async check(): Promise<string[]> {
    const { kept } = this.#load;
    const fresh = kept.slice(this.#checked);
    const faults = kept.flatMap(entry => entry.faults);
    for (const node of this.#fleet.nodes) faults.push(...[node.ended()].filter(each => each !== null));
    for (const entry of fresh) faults.push(...(await this.#record(entry)), ...(await this.#events(entry)));
    const keys = JSON.stringify(await this.#client.evidence.keys());
    for (const entry of fresh.slice(-3)) faults.push(...(await this.#bundle(entry, keys)));
    faults.push(...(await this.#log(keys)), ...(await this.#count()), ...(await this.#statistics()));
    this.#checked = kept.length;
    return faults;
  }

  /** Seconds from the acknowledged photo that completed each verification to the webhook with its verdict, since the last check. */
  verdictSeconds(): number[] {
    return this.#load.kept.slice(this.#checked).flatMap(({ id, photos }) => {
      const told = this.#receiver.of(id).find(({ event }) => event.type === 'verification.completed');
      return told && photos.size > 0 ? [(told.at - Math.max(...photos.values())) / 1_000] : [];
    });
  }

  async #waiting(): Promise<string[]> {
    const { rows } = await this.#fleet.pool.query<{ what: string; n: number }>(WAITING);
    return rows.filter(({ n }) => n > 0).map(({ what, n }) => `${n} ${what}`);
  }

  async #record(entry: Acknowledged): Promise<string[]> {
    const faults: string[] = [];
    const now = await this.#client.verifications.get(entry.id);
    const photos = now.captures.map(capture => capture.sha256);
    if (now.status !== 'completed' || !now.verdict) faults.push(`is ${now.status}`);
    if (now.captures_count > entry.slots) faults.push(`has ${now.captures_count} photos in ${entry.slots} slots`);
    if (now.captures_count !== photos.length || new Set(photos).size !== photos.length) {
      faults.push(`counts ${now.captures_count} photos and shows ${photos.join(', ')}`);
    }
    for (const sha256 of entry.photos.keys()) if (!photos.includes(sha256)) faults.push(`lost the photo ${sha256}`);
    for (const capture of now.captures) {
      const answer = await fetch(capture.image_url!);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const found = createHash('sha256').update(bytes).digest('hex');
      if (found !== capture.sha256) faults.push(`has other bytes for ${capture.sha256} (${answer.status})`);
    }
    return faults.map(fault => `${entry.id} ${fault}`);
  }

  /** One `webhook-id` and one body for each event, sequence numbers from 1 without a gap, and one event that ends it. */
  async #events({ id, photos }: Acknowledged): Promise<string[]> {
    const faults: string[] = [];
    const bodies = new Map<string, string>();
    const events = new Map<string, VerificationEvent>();
    for (const hook of this.#receiver.of(id)) {
      await verifyWebhook(hook.raw, hook.headers, this.#fleet.tenant.webhook_secret, { now: hook.at });
      if ((bodies.get(hook.id) ?? hook.raw) !== hook.raw) faults.push(`sent two bodies as ${hook.id}`);
      bodies.set(hook.id, hook.raw);
      events.set(hook.id, hook.event);
    }
    const told = [...events.values()].toSorted((a, b) => a.data.sequence - b.data.sequence);
    const names = told.map(event => `${event.data.sequence} ${event.type}`);
    const expected = [
      '1 verification.created',
      ...[...photos.keys()].map((_, n) => `${n + 2} verification.capture_received`),
      `${photos.size + 2} verification.completed`,
    ];
    if (names.join() !== expected.join()) faults.push(`told ${names.join(', ')} instead of ${expected.join(', ')}`);
    return faults.map(fault => `${id} ${fault}`);
  }

  /** The bundle holds the acknowledged photos and names one place in the log for each of them and one for the verdict. */
  async #bundle({ id, photos }: Acknowledged, keys: string): Promise<string[]> {
    // Not by the client, which waits while the service answers 202: the log has everything by now.
    const answer = await fetch(`${this.#url}/v1/verifications/${id}/evidence`, {
      headers: { authorization: `Bearer ${this.#fleet.tenant.pk_test}` },
    });
    if (answer.status !== 200) return [`${id} has no bundle: ${answer.status}`];
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const report = await verifyBundle(Readable.from([bytes]), { trusted: parseTrust(keys) });
    const places = report.log?.indices.length;
    const right = report.exit_code === 0 && places === photos.size + 1;
    return right ? [] : [`${id} has a bundle with ${places} places: ${JSON.stringify(report.faults)}`];
  }

  /** The log holds one entry for each photo and each verdict, and continues what was seen at the last check. */
  async #log(keys: string): Promise<string[]> {
    const trust = join(this.#fleet.folder, 'log-keys.json');
    await writeFile(trust, keys);
    const state = join(this.#fleet.folder, 'log-seen.json');
    const seen = await firsthand(
      this.#fleet,
      'monitor',
      `${this.#url}/log`,
      '--trust',
      trust,
      '--state',
      state,
      '--once',
    );
    const faults = seen.code === 0 ? [] : [`the log is not whole: ${seen.stdout}${seen.stderr}`];
    const note = new Uint8Array(await (await fetch(`${this.#url}/log/checkpoint`)).arrayBuffer());
    const { size } = parseCheckpoint(parseNote(note).text);
    const entries = this.#load.kept.reduce((sum, { photos }) => sum + photos.size + 1, 0);
    if (Number(size) !== entries) faults.push(`the log has ${size} entries for ${entries} photos and verdicts`);
    return faults;
  }

  /** The database holds what was acknowledged and nothing else: no creation was done twice. */
  async #count(): Promise<string[]> {
    const { rows } = await this.#fleet.pool.query<{ id: string }>(`select id from verifications where ${OURS}`);
    const kept = new Set(this.#load.kept.map(({ id }) => id));
    const strange = rows.filter(({ id }) => !kept.has(id));
    const twice = this.#load.kept.length - kept.size;
    return [
      ...(strange.length > 0 ? [`${strange.length} verifications that nobody was told of: ${strange[0]!.id}…`] : []),
      ...(twice > 0 ? [`${twice} verifications acknowledged twice`] : []),
    ];
  }

  /** The statistics say what a recount says. */
  async #statistics(): Promise<string[]> {
    const answer = await fetch(`${this.#url}/v1/statistics?mode=test`, {
      headers: { authorization: `Bearer ${this.#fleet.tenant.rk_secret}` },
    });
    if (answer.status !== 200) return [`the statistics answer ${answer.status}`];
    const { buckets } = (await answer.json()) as Statistics;
    const { rows } = await this.#fleet.pool.query<Record<(typeof COUNTED)[number], number>>(
      `select count(*)::int as created, (count(*) filter (where status = 'completed'))::int as completed,
         (count(*) filter (where status = 'failed'))::int as failed, (count(*) filter (where verdict ->> 'label' = 'verified'))::int as verified
       from verifications where tenant_id = $1 and not livemode`,
      [this.#fleet.tenant.tenant_id],
    );
    return COUNTED.flatMap(name => {
      const counted = buckets.reduce((sum, bucket) => sum + bucket[name], 0);
      return counted === rows[0]![name] ? [] : [`the statistics count ${counted} ${name} of ${rows[0]![name]}`];
    });
  }
}
