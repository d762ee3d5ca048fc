// Starts the portal beside a service on this machine: `npm run portal`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Firsthand } from '@firsthand/sdk';
import { createPortal } from './portal.ts';

const { env } = process;
const port = Number(env.PORTAL_PORT || 3000);
const portalUrl = env.PORTAL_URL || `http://localhost:${port}`;
const firsthand = new Firsthand(env.FIRSTHAND_KEY || firstRun().pk_test, {
  baseUrl: env.FIRSTHAND_URL || 'http://localhost:8080',
  webhookSecret: env.FIRSTHAND_WEBHOOK_SECRET || firstRun().webhook_secret,
});

createPortal({ firsthand, portalUrl }).listen(port, 'localhost', error => {
  if (error) throw error;
  console.log(`The portal is on ${portalUrl}`);
});

/** The keys that the first start of the service wrote. */
function firstRun(): { pk_test: string; webhook_secret: string } {
  const file = join(env.DATA_DIR || 'data', 'first-run.json');
  return JSON.parse(readFileSync(file, 'utf8')) as { pk_test: string; webhook_secret: string };
}
