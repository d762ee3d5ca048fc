import { readFileSync } from 'node:fs';
import { KEY_SCOPES } from '@firsthand/contract/account/management.ts';
import { ROLES } from '@firsthand/contract/people/roles.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultServiceUrl, type Env } from '../platform/config/environment.ts';
import type { CalibrateOptions } from './calibrate.ts';
import type { MonitorOptions } from './monitor.ts';
import type { ServeOptions } from './serve.ts';
import type { VerifyEvidenceOptions } from './verify-evidence.ts';

// Each command imports its program when it runs: most of the time that a short one takes is the loading of modules.
const serve = async (o: ServeOptions) => (await import('./serve.ts')).serve(o);
const args = () => import('./arguments.ts');
const people = () => import('./people.ts');
const tenants = () => import('./tenants.ts');

/** Every command of `firsthand`, with the options and the help of each. */
export function createProgram(environment: Env): Command {
  const program = new Command('firsthand')
    .description('Checks whether photos are first-hand. Reads its settings from the environment or a .env file.')
    .version(ownVersion(), '--version', 'print the version')
    .exitOverride();

  const tls = new Option(
    '--tls',
    'serve HTTPS with a self-signed certificate on all addresses, so a phone can use its camera',
  );

  program
    .command('all')
    .description('Run everything: API, pages and worker.')
    .addOption(tls)
    .action(({ tls = false }: { tls?: boolean }) => serve({ http: true, worker: true, tls }));
  program
    .command('serve')
    .description('Run the API and the pages. Jobs run where "firsthand work" runs.')
    .addOption(tls)
    .action(({ tls = false }: { tls?: boolean }) => serve({ http: true, worker: false, tls }));
  program
    .command('work')
    .description('Run the worker only. Needs DATABASE_URL.')
    .action(() => serve({ http: false, worker: true, tls: false }));
  program
    .command('migrate')
    .description('Apply pending database migrations, then exit.')
    .action(async () => (await tenants()).migrateCommand());
  program
    .command('create-tenant')
    .argument('<name>')
    .description('Create a tenant. Prints its keys once, as JSON.')
    .action(async (name: string) => (await tenants()).createTenantCommand(name));
  program
    .command('mint-key')
    .description('Create an API key. Prints it once, as JSON.')
    .requiredOption('--tenant <id>', 'the tenant that owns the key')
    .addOption(
      new Option('--mode <mode>', 'live or test verifications; secret: both, and management')
        .choices(['live', 'test', 'secret'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'a name to recognise the key by', 'minted on the command line')
    .addOption(
      new Option(
        '--scope <scope...>',
        'for a key in an app: create verifications and capture their photos, and read nothing. Absent: everything',
      ).choices(KEY_SCOPES),
    )
    .action(async o => (await tenants()).mintKeyCommand(o));
  program
    .command('calibrate')
    .argument('[folder]', 'at least 99 genuine pictures like those you will check')
    .description(
      'Set the thresholds of your own AI model and write them beside its manifest, or suggest thresholds for the screen detector ' +
        'by what reviewers agreed on.',
    )
    .option('--model <manifest>', "path of the model's manifest, as in AI_MODEL; goes with a folder")
    .option('--from-reviews', 'use decided cases instead of a folder; prints JSON and changes nothing')
    .option('--tenant <id>', 'whose cases (needed where there are several accounts)')
    .addOption(new Option('--mode <mode>', 'which cases').choices(['live', 'test']).default('live'))
    .action(async (folder: string | undefined, o: CalibrateOptions) =>
      (await import('./calibrate.ts')).calibrateCommand(folder, o),
    );
  program
    .command('corpus')
    .description('Manage the picture lists that reverse search looks in.')
    .command('import')
    .argument('<path>', 'a text file with one PDQ hash per line, or a folder of pictures', path)
    .description('Add pictures to a list. Prints what was added and what was skipped, as JSON.')
    .option('--tenant <id>', 'only this tenant searches the list (default: every tenant)')
    .option('--name <name>', 'name of the list (default: the name of the file or folder)')
    .action(async (path: string, o) => (await import('./corpus.ts')).corpusImportCommand(path, o));
  program
    .command('list-keys')
    .description("List a tenant's active API keys, without the keys themselves.")
    .requiredOption('--tenant <id>', 'the tenant that owns the keys')
    .action(async o => (await tenants()).listKeysCommand(o));
  program
    .command('revoke-key')
    .argument('<id>', 'id of the key (key_…), as list-keys prints it')
    .description('Revoke an API key. Requests that use it get 401 at once.')
    .requiredOption('--tenant <id>', 'the tenant that owns the key')
    .action(async (id: string, o) => (await tenants()).revokeKeyCommand(id, o));
  program
    .command('set-limit')
    .argument('<tenant>', 'id of the tenant (tnt_…)')
    .argument('<limit>', 'requests per minute, or "default"', limitOf)
    .description('Set how many requests per minute a tenant may make. Takes effect at once.')
    .action(async (id: string, limit: number | null) => (await tenants()).setLimitCommand(id, limit));
  program
    .command('rekey')
    .description('Encrypt stored secrets again with the first of ENCRYPTION_KEYS. Safe while the service runs.')
    .action(async () => (await import('./rekey.ts')).rekeyCommand());
  program
    .command('sign-in-link')
    .description('Print a link that signs a person in once, within 24 hours.')
    .option('--tenant <id>', 'the account; without --email and --person: the link of its only owner')
    .option('--email <address>', 'whose link it is')
    .option('--person <id>', 'whose link it is (usr_…), as people list shows it')
    .action(async o => (await people()).signInLinkCommand(o));
  const persons = program.command('people').description('Manage who may sign in.');
  const tenant = new Option('--tenant <id>', 'the account (needed where there are several)');
  persons
    .command('list')
    .description('List the people of an account.')
    .addOption(tenant)
    .action(async o => (await people()).listPeopleCommand(o));
  persons
    .command('invite')
    .description('Invite a person. Prints the person as JSON, with a sign-in link if no mail is sent.')
    .addOption(tenant)
    .option('--email <address>')
    .option('--phone <number>', 'E.164, such as +4915123456789')
    .option('--name <name>')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .action(async o => (await people()).invitePersonCommand(o));
  persons
    .command('remove')
    .argument('<id>', 'usr_…, as people list shows it')
    .description("Remove a person and end the person's sessions.")
    .addOption(tenant)
    .action(async (id: string, o) => (await people()).removePersonCommand(id, o));
  persons
    .command('set-email')
    .argument('<id>', 'usr_…, as people list shows it')
    .description('Give an address to a person who has none, such as the first owner.')
    .addOption(tenant)
    .requiredOption('--email <address>')
    .action(async (id: string, o) => (await people()).setEmailCommand(id, o));
  program
    .command('log-name')
    .description('Print the name that logs and traces give a verification.')
    .argument('<verification>', 'vfy_…')
    .action(async (id: string) => {
      (await args()).checkId('<verification>', 'vfy', id);
      console.log((await import('../platform/lib/log-name.ts')).logNameOf(id));
    });
  program
    .command('doctor')
    .description('Check the installation and say how to fix what is missing.')
    .option('--json', 'print the findings as JSON')
    .action(async o => (await import('./doctor.ts')).doctor(o));
  program
    .command('demo')
    .description('Run the whole flow against the running service.')
    .option('--url <url>', 'base URL of the service', webUrl, defaultServiceUrl(environment))
    .option('--key <key>', 'an API key (default: the test key in first-run.json)')
    .action(async o => (await import('./demo.ts')).demo(o));

  program
    .command('rotate-evidence-key')
    .description(
      'Replace the keys that sign the log and the bundles. Whatever the old keys signed can still be checked.',
    )
    .action(async () => (await import('./rotate-evidence-key.ts')).rotateEvidenceKeyCommand());

  program
    .command('rotate-credential-key')
    .description(
      'Replace the self-signed key of the Content Credentials. Photos signed before stay checkable. Prints the new certificates.',
    )
    .action(async () => (await import('./rotate-credential-key.ts')).rotateCredentialKeyCommand());

  program
    .command('backup')
    .argument('<folder>', 'a new folder', path)
    .description('Copy the embedded database, the photos and the keys, also while the service runs. Prints JSON.')
    .action(async (folder: string) => (await import('./backup.ts')).backupCommand(folder));
  program
    .command('restore')
    .argument('<folder>', 'a folder that "backup" made', path)
    .description('Put a backup into the empty DATA_DIR and check it. Prints JSON.')
    .action(async (folder: string) => (await import('./backup.ts')).restoreCommand(folder));

  program
    .command('restore-check')
    .description('Erase again what a restored backup brought back, by the receipts in the blob store. Prints JSON.')
    .action(async () => (await import('./restore-check.ts')).restoreCheckCommand());

  program
    .command('verify-evidence')
    .argument('<file>', 'evidence bundle (zip) from GET /v1/verifications/:id/evidence', path)
    .description(
      'Check an evidence bundle offline. Exit code 0: valid, 1: not valid, 2: no trusted key, 3: not a bundle, or it could not be checked.',
    )
    .option(
      '--trust <key>',
      'trust this verifier key, or the keys in this file (verifier keys or a JWK Set); repeatable',
      several,
      [],
    )
    .option('--witness <vkey>', 'require the cosignature of this witness; repeatable', several, [])
    .option('--tsa-root <pem>', 'root certificates for the timestamp', path)
    .option('--max-bytes <bytes>', 'reject bundles larger than this', bytesOf)
    .option('--json', 'print the report as JSON')
    .action(async (file: string, o: VerifyEvidenceOptions) =>
      (await import('./verify-evidence.ts')).verifyEvidence(file, o),
    );

  program
    .command('monitor')
    .argument('<url>', 'address of a log, such as https://example.com/log', webUrl)
    .description(
      'Follow a log and check that it only grows. Exit code 1: a fork or a bad signature, with the notes kept; 3: it could not be read.',
    )
    .option('--trust <key>', 'trust this verifier key, or the keys in this file; repeatable', several, [])
    .option('--state <file>', 'remember what was seen in this file', path)
    .option('--interval <seconds>', 'seconds between two looks', secondsOf, 60)
    .option('--once', 'look once, then exit')
    .action(async (url: string, o: MonitorOptions) => (await import('./monitor.ts')).monitor(url, o));

  const service = new Option('--url <url>', 'base URL of the service')
    .argParser(webUrl)
    .default(defaultServiceUrl(environment));
  const secretKey = new Option('--key <key>', 'a secret key (default: the one in first-run.json)');
  program
    .command('listen')
    .description("Follow the account's events and post each one, freshly signed, to a URL on your machine.")
    .requiredOption('--forward <url>', 'URL to post the events to', webUrl)
    .addOption(service)
    .addOption(secretKey)
    .addOption(new Option('--mode <mode>', 'forward only live or only test events').choices(['live', 'test']))
    .action(async o => (await import('./listen.ts')).listen(o));
  program
    .command('events')
    .description('Work with webhook events.')
    .command('resend')
    .argument('<id>', 'id of a delivery (whd_…) or an event (evt_…)')
    .description('Send a delivery, or every delivery of an event, again.')
    .addOption(service)
    .addOption(secretKey)
    .action(async (id: string, o) => (await import('./listen.ts')).resend(id, o));
  nameHelp(program);
  return program;
}

/** Makes each command answer a wrong argument with the name of its own help. */
function nameHelp(command: Command, parents = ''): void {
  const path = `${parents}${command.name()}`;
  command.showHelpAfterError(`See: ${path} --help`);
  for (const child of command.commands) nameHelp(child, `${path} `);
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function webUrl(text: string): string {
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new InvalidArgumentError('Give a URL that starts with http:// or https://.');
  }
  return text;
}

function path(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give a path.');
  return text;
}

const several = (value: string, before: string[]) => [...before, value];

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0.1 && seconds <= 86_400))
    throw new InvalidArgumentError('Give a number of seconds from 0.1 to 86400.');
  return seconds;
}

function bytesOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give a whole number of bytes.');
  return Number(text);
}

function limitOf(text: string): number | null {
  if (text === 'default') return null;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1_000_000) {
    throw new InvalidArgumentError('Give a whole number from 1 to 1000000, or "default".');
  }
  return limit;
}
