// Records a small installation of this version in server/test/upgrade/VERSION: database, photos, keys, events, webhooks, bundles and
// answers. server/test/platform/upgrade.test.ts takes it into every later build. Once per release: `node scripts/release/data.ts`.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { monitor } from '@firsthand/cli/monitor.ts';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import { Firsthand } from '@firsthand/sdk';
import { many, one, transaction } from '../../server/src/platform/db/sql.ts';
import { VERSION } from '../../server/src/platform/lib/version.ts';
import { signedIn } from '../../server/test/identity/people/visitor.ts';
import { draw } from '../../server/test/support/drawn.ts';
import { ask, bundleOf, createVerification, submit, until, untilStatus } from '../../server/test/support/harness.ts';
import { startOnOwnDatabase } from '../../server/test/support/own-database.ts';
import {
  dump,
  firstEvents,
  INSTALLATION_FILE,
  KEYS_FILE,
  MONITOR_FILE,
  RECORDINGS,
  type Recorded,
  type RecordedAnswer,
  readFiles,
} from '../../server/test/support/recorded.ts';

const MAX_BYTES = 300_000;
const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
/** Paths below `/v1` that the secret key reads. */
const OF_ACCOUNT = 'settings api-keys link-templates webhook-endpoints webhook-secret people audit-log'.split(' ');

const folder = join(RECORDINGS, VERSION);
const dataDir = await mkdtemp(join(tmpdir(), 'fh-release-data-'));
const encryptionKeys = randomBytes(32).toString('base64');
let accepts = true;
const receiver = await receiveWebhooks(response => response.writeHead(accepts ? 204 : 500).end());
const env = { ENCRYPTION_KEYS: encryptionKeys, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
const service = await startOnOwnDatabase(dataDir, env);
const account = new Firsthand(service.tenant.rk_secret, { baseUrl: service.url });
try {
  const files = await record();
  const size = Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);
  if (size > MAX_BYTES) throw new Error(`the recording has ${size} bytes, more than ${MAX_BYTES}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  console.log(`${folder}: ${size} bytes`);
} finally {
  await service.stop();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Returns the bytes of the recording's files, by their names. */
async function record(): Promise<Record<string, Buffer>> {
  const { url, deps, tenant } = service;
  const { undelivered, ...verifications } = await play();
  const keys = Buffer.from(`${JSON.stringify((await ask(service, '/v1/evidence-keys')).body, null, 2)}\n`);
  const verified = await bundleOf(service, verifications.verified);
  const trust = join(dataDir, KEYS_FILE);
  await writeFile(trust, keys);
  await monitor(`${url}/log`, { trust: [trust], state: join(dataDir, MONITOR_FILE), interval: 60, once: true });
  const answers: RecordedAnswer[] = [];
  for (const request of requestsFor(verifications)) {
    const { status, text, body } = await ask(service, request.path, request.key ? { key: tenant[request.key] } : {});
    if (status !== 200) throw new Error(`${request.path} was answered ${status}: ${text}`);
    answers.push({ ...request, body });
  }
  const recorded = await one<{ events: number }>(deps.db, 'select count(*)::integer as events from events');
  const accepted = receiver.received.filter(({ id }) => id !== undelivered);
  const installation: Recorded = {
    version: VERSION,
    recordedAt: deps.clock.now().toISOString(),
    encryptionKeys,
    url,
    receiver: receiver.url,
    verifications,
    migrations: await many(deps.db, 'select name, hash from migrations order by version'),
    database: await transaction(deps.db, async tx => {
      await tx.query('set transaction isolation level repeatable read');
      return dump(tx);
    }),
    files: await readFiles(dataDir),
    events: await firstEvents(url, tenant, recorded!.events),
    webhooks: accepted.map(({ headers, raw }) => ({
      headers: Object.fromEntries(SIGNED_HEADERS.map(name => [name, String(headers[name])])),
      raw,
    })),
    undelivered,
    answers,
  };
  return {
    [KEYS_FILE]: keys,
    [INSTALLATION_FILE]: gzipSync(JSON.stringify(installation), { level: 9 }),
    'verified.zip': verified,
    // Made after the dump: a later build makes its own from the statements. That of `verified` is kept in the database.
    'suspicious.zip': await bundleOf(service, verifications.suspicious),
  };
}

/** Brings a verification to each end, and leaves one open, whose event the receiver refuses. */
async function play(): Promise<Recorded['verifications'] & { undelivered: string }> {
  const { tenant } = service;
  const reviewer = await signedIn(service, { tenantId: tenant.tenant_id, role: 'reviewer', livemode: false });
  await account.webhooks.createEndpoint({ url: receiver.url, livemode: false });
  await account.linkTemplates.create({ name: 'Front of the car', request: { metadata: { claim: 'C-1' } } });

  const { id: cancelled } = await createVerification(service, { metadata: { claim: 'C-2' } }, tenant.pk_live);
  await account.verifications.cancel(cancelled);
  const ended = async (metadata: object, width: number, height: number) => {
    const { id } = await createVerification(service, { metadata });
    await submit(service, id, await draw({ colour: '#7a8', width, height }));
    return (await untilStatus(service, id, ['completed'])).id;
  };
  const verified = await ended({ claim: 'C-3' }, 640, 480);
  const suspicious = await ended({ claim: 'C-4', test_outcome: 'suspicious' }, 96, 64);
  const review = { decision: 'rejected', reasons: ['display'], note: 'The edge of a display is visible.' };
  const decided = await reviewer.ask(`/v1/verifications/${suspicious}/reviews`, { body: review });
  if (decided.status !== 201) throw new Error(`the review was answered ${decided.status}: ${decided.text}`);

  await until(async () => receiver.of(suspicious).length === 4, 'the webhooks');
  await until(
    async () => (await account.webhooks.listDeliveries({ status: 'pending' })).data.length === 0,
    'their end',
  );
  accepts = false;
  const { id: open } = await createVerification(service, { metadata: { claim: 'C-5' }, expires_in_seconds: 86_400 });
  const undelivered = await until(async () => {
    const { data } = await account.webhooks.listDeliveries({ verification_id: open });
    return data.find(({ attempts }) => attempts.length > 0)?.event_id;
  }, 'a refused webhook');
  return { verified, suspicious, cancelled, open, undelivered };
}

function requestsFor({
  verified,
  suspicious,
  cancelled,
  open,
}: Recorded['verifications']): Omit<RecordedAnswer, 'body'>[] {
  const [from, to] = [0, 2].map(days =>
    new Date(Date.now() + days * 86_400_000).toISOString().replace(/T.*/, 'T00:00:00Z'),
  );
  return [
    { path: `/v1/verifications/${cancelled}`, key: 'pk_live' },
    { path: '/v1/verifications', key: 'pk_test' },
    ...[verified, suspicious, open].map(id => ({ path: `/v1/verifications/${id}`, key: 'pk_test' as const })),
    ...OF_ACCOUNT.map(path => ({ path: `/v1/${path}`, key: 'rk_secret' as const })),
    { path: `/v1/webhook-deliveries?verification_id=${verified}`, key: 'rk_secret' },
    { path: `/v1/statistics?mode=test&from=${from}&to=${to}`, key: 'rk_secret' },
    { path: `/v1/verifications/${verified}/public` },
    { path: `/v1/verify/${open}` },
    { path: '/v1/evidence-keys' },
  ];
}
