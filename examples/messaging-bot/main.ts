// `npm run bot` starts the bot beside a service on this machine; `npm run bot -- cases` lists its cases.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBot } from './bot.ts';
import { listCases } from './cases.ts';
import { Store } from './store.ts';
import { TEXTS } from './texts.ts';
import type { Json } from './whatsapp.ts';

const { env } = process;
const REQUIRED = [
  'BOT_SECRETS',
  'WHATSAPP_PHONE_NUMBER_ID',
  'WHATSAPP_TOKEN',
  'WHATSAPP_APP_SECRET',
  'WHATSAPP_VERIFY_TOKEN',
];
const file = env.BOT_STORE || 'data/messaging-bot.db';
if (process.argv[2] === 'cases') {
  const store = new Store(file);
  for (const line of listCases(store)) console.log(line);
  store.close();
} else start();

function start(): void {
  const port = Number(env.BOT_PORT || 3001);
  const language = env.BOT_LANGUAGE || 'en';
  const texts = TEXTS[language];
  if (!texts) throw new Error(`BOT_LANGUAGE must be one of ${Object.keys(TEXTS).join(', ')}`);
  const missing = REQUIRED.filter(name => !env[name]);
  if (missing.length > 0) {
    console.error(`Set ${missing.join(', ')}: examples/messaging-bot/README.md says where each stands.`);
    process.exit(2);
  }
  mkdirSync(dirname(file), { recursive: true });
  const store = new Store(file);
  const bot = createBot({
    store,
    texts,
    maxAgeMs: Number(env.BOT_MAX_AGE_MINUTES || 360) * 60_000,
    now: Date.now,
    log: line => console.log(`${new Date().toISOString()} ${line}`),
    graph: {
      url: env.GRAPH_URL || 'https://graph.facebook.com/v25.0',
      phoneNumberId: env.WHATSAPP_PHONE_NUMBER_ID!,
      token: env.WHATSAPP_TOKEN!,
    },
    appSecret: env.WHATSAPP_APP_SECRET!,
    verifyToken: env.WHATSAPP_VERIFY_TOKEN!,
    firsthand: {
      url: env.FIRSTHAND_URL || 'http://localhost:8080',
      tenantId: env.FIRSTHAND_TENANT || firstRun().tenant_id,
      botSecrets: env.BOT_SECRETS!.split(',').map(secret => secret.trim()),
    },
    webhookSecret: env.FIRSTHAND_WEBHOOK_SECRET || firstRun().webhook_secret,
    webhookUrl: `${env.BOT_ADDRESS || `http://localhost:${port}`}/firsthand`,
    request: env.BOT_REQUEST ? (JSON.parse(readFileSync(env.BOT_REQUEST, 'utf8')) as Json) : { max_captures: 2 },
    templates: {
      language: env.WHATSAPP_TEMPLATE_LANGUAGE || language,
      link: env.WHATSAPP_TEMPLATE_LINK || 'firsthand_link',
      text: env.WHATSAPP_TEMPLATE_TEXT || 'firsthand_news',
      code: env.WHATSAPP_TEMPLATE_CODE || 'firsthand_code',
    },
  });
  bot.server.listen(port, () => console.log(`The bot is on http://localhost:${port}`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bot.stop().then(() => store.close()));
  }
}

/** What the first start of the service wrote. */
function firstRun(): { tenant_id: string; webhook_secret: string } {
  const written = join(env.DATA_DIR || 'data', 'first-run.json');
  return JSON.parse(readFileSync(written, 'utf8')) as { tenant_id: string; webhook_secret: string };
}
