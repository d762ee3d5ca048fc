import { Command, InvalidArgumentError, Option } from 'commander';
import { calibrateCommand } from './commands/calibrate.ts';
import { corpusImportCommand } from './commands/corpus.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { listen, resend } from './commands/listen.ts';
import { rekeyCommand } from './commands/rekey.ts';
import { rotateEvidenceKeyCommand } from './commands/rotate-evidence-key.ts';
import { serve } from './commands/serve.ts';
import {
  createTenantCommand,
  listKeysCommand,
  migrateCommand,
  mintKeyCommand,
  revokeKeyCommand,
  setLimitCommand,
} from './commands/tenants.ts';
import { type VerifyEvidenceOptions, verifyEvidence } from './commands/verify-evidence.ts';
import { defaultServiceUrl, loadEnvironment } from './config/config.ts';

const environment = loadEnvironment();

const program = new Command('firsthand')
  .description('Photo evidence that can be believed. Settings come from the environment or a .env file.')
  .showHelpAfterError();

const tls = new Option('--tls', 'HTTPS with a self-made certificate on all addresses, so that a phone gets its camera');

program
  .command('all')
  .description('the whole service: API, pages and worker')
  .addOption(tls)
  .action(({ tls = false }: { tls?: boolean }) => serve({ http: true, worker: true, tls }));
program
  .command('serve')
  .description('API and pages; the work is done elsewhere')
  .addOption(tls)
  .action(({ tls = false }: { tls?: boolean }) => serve({ http: true, worker: false, tls }));
program
  .command('work')
  .description('worker alone; needs DATABASE_URL')
  .action(() => serve({ http: false, worker: true, tls: false }));
program.command('migrate').description('bring the database up to date and end').action(migrateCommand);
program
  .command('create-tenant')
  .argument('<name>')
  .description('make a tenant; prints its keys once, as JSON')
  .action(createTenantCommand);
program
  .command('mint-key')
  .description('make an API key; prints it once, as JSON')
  .requiredOption('--tenant <id>', 'whose key it is')
  .addOption(
    new Option('--mode <mode>', 'what it creates and sees').choices(['live', 'test', 'secret']).makeOptionMandatory(),
  )
  .option('--name <name>', 'to tell it from others', 'minted on the command line')
  .action(mintKeyCommand);
program
  .command('calibrate')
  .argument('<folder>', 'at least 99 genuine pictures of the kind that will be checked')
  .description('set the thresholds of a model of your own; writes them beside its manifest')
  .requiredOption('--model <manifest>', "the model's manifest, as AI_MODEL names it")
  .action(calibrateCommand);
program
  .command('corpus')
  .description('lists that reverse search looks in')
  .command('import')
  .argument('<path>', 'a text file with a PDQ hash a line, or a folder of pictures')
  .description('add pictures to a list; prints what was taken and what was not, as JSON')
  .option('--tenant <id>', "whose searches look in it; everybody's unless given")
  .option('--name <name>', 'of the list; the name of the file or folder unless given')
  .action(corpusImportCommand);
program
  .command('list-keys')
  .description("list a tenant's API keys in force, never the keys themselves")
  .requiredOption('--tenant <id>', 'whose keys they are')
  .action(listKeysCommand);
program
  .command('revoke-key')
  .argument('<id>', 'key_…, as list-keys shows it')
  .description('make an API key open nothing any more')
  .requiredOption('--tenant <id>', 'whose key it is')
  .action(revokeKeyCommand);
program
  .command('set-limit')
  .argument('<tenant>')
  .argument('<limit>', 'requests a minute, or default', limitOf)
  .description('set how many requests a minute a tenant may make; in force at once')
  .action(setLimitCommand);
program
  .command('rekey')
  .description('encrypt stored secrets anew under the first of ENCRYPTION_KEYS; safe while the service runs')
  .action(rekeyCommand);
program.command('doctor').description('say what is in place, what is missing and what to do').action(doctor);
program
  .command('demo')
  .description('play the whole flow against the running service')
  .option('--url <url>', 'where the service listens', defaultServiceUrl(environment))
  .option('--key <key>', 'an API key; the test key of first-run.json unless given')
  .action(demo);

program
  .command('rotate-evidence-key')
  .description('retire the keys that sign the log and bundles for new ones; what the old ones signed stays checkable')
  .action(rotateEvidenceKeyCommand);

const several = (value: string, before: string[]) => [...before, value];
program
  .command('verify-evidence')
  .argument('<file>', 'a bundle: the zip of GET /v1/verifications/:id/evidence')
  .description(
    'check a bundle without server or network; exit 0 holds, 1 does not, 2 nobody vouched for the keys, 3 no bundle',
  )
  .option('--trust <key>', 'a verifier key, or a file of verifier keys or a JWK Set; may be given often', several, [])
  .option('--witness <vkey>', 'a witness that must have cosigned; may be given often', several, [])
  .option('--tsa-root <pem>', 'root certificates to check the time stamp against')
  .option('--max-bytes <bytes>', 'refuse larger bundles', bytesOf)
  .option('--json', 'print the report as JSON')
  .action((file: string, o: VerifyEvidenceOptions) => verifyEvidence(file, o));

function bytesOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('takes a whole number of bytes');
  return Number(text);
}

function limitOf(text: string): number | null {
  if (text === 'default') return null;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1_000_000) {
    throw new InvalidArgumentError('takes a whole number from 1 to 1000000, or default');
  }
  return limit;
}

const service = new Option('--url <url>', 'where the service listens').default(defaultServiceUrl(environment));
const secretKey = new Option('--key <key>', 'a secret key; that of first-run.json unless given');
program
  .command('listen')
  .description("follow the account's events and post each, signed anew, to an address on your machine")
  .requiredOption('--forward <url>', 'where to post them')
  .addOption(service)
  .addOption(secretKey)
  .addOption(new Option('--mode <mode>', 'only live or only test events').choices(['live', 'test']))
  .action(listen);
program
  .command('events')
  .description('what became of events')
  .command('resend')
  .argument('<id>', 'a delivery (whd_…) or an event (evt_…)')
  .description('send it once more')
  .addOption(service)
  .addOption(secretKey)
  .action(resend);

program.parseAsync().catch((error: Error) => {
  console.error(error.name === 'Error' ? error.message : `${error.name}: ${error.message}`);
  if (environment.LOG_LEVEL === 'debug') console.error(error.stack);
  process.exit(1);
});
