import { addDemo, addEventCommands, addEvidenceCommands, nameHelp, path } from '@firsthand/cli/commands.ts';
import { KEY_SCOPES } from '@firsthand/contract/account/key-scopes.ts';
import { ROLES } from '@firsthand/contract/people/roles.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultServiceUrl, type Env } from '../platform/config/environment.ts';
import { fullVersion } from '../platform/lib/version.ts';
import type { CalibrateOptions } from './calibrate.ts';
import type { ServeOptions } from './serve.ts';

// Each command imports its program when it runs: most of the time that a short one takes is the loading of modules.
const serve = async (o: ServeOptions) => (await import('./serve.ts')).serve(o);
const args = () => import('./arguments.ts');
const people = () => import('./people.ts');
const tenants = () => import('./tenants.ts');

/** Every command of `firsthand`, with the options and the help of each, in the order of the help. */
export function createProgram(environment: Env): Command {
  const program = new Command('firsthand')
    .description('Checks whether photos are first-hand. Reads its settings from the environment or a .env file.')
    .version(fullVersion(), '--version', 'print the version')
    .exitOverride();
  const url = defaultServiceUrl(environment);
  addServiceCommands(program);
  addTenantCommands(program);
  addCalibrate(program);
  addModelCommands(program);
  addCorpus(program);
  addKeyCommands(program);
  addPeopleCommands(program);
  addChecks(program);
  addDemo(program, url);
  addRotations(program);
  addBackupCommands(program);
  addEvidenceCommands(program);
  addEventCommands(program, url);
  nameHelp(program);
  return program;
}

function addServiceCommands(program: Command): void {
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
}

function addTenantCommands(program: Command): void {
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
    .option('--template <id>', 'with --scope: the link template that the key creates verifications from')
    .action(async o => (await tenants()).mintKeyCommand(o));
}

function addCalibrate(program: Command): void {
  program
    .command('calibrate')
    .argument('[folder]', 'at least 99 genuine pictures like those you will check')
    .description(
      'Set the thresholds of your own AI model and write them beside its manifest. Or, with --from-reviews only, suggest thresholds for ' +
        'the screen detector by what reviewers agreed on.',
    )
    .option('--model <manifest>', "path of the model's manifest, as in AI_MODEL; goes with a folder or --from-reviews")
    .option('--from-reviews', 'use the photos of decided cases instead of a folder')
    .option('--tenant <id>', 'whose cases (needed where there are several accounts)')
    .addOption(new Option('--mode <mode>', 'which cases').choices(['live', 'test']).default('live'))
    .action(async (folder: string | undefined, o: CalibrateOptions) =>
      (await import('./calibrate.ts')).calibrateCommand(folder, o),
    );
}

function addModelCommands(program: Command): void {
  program
    .command('import-model')
    .argument('<folder>', 'config.json, preprocessor_config.json and model.onnx, as model hubs hold them')
    .description('Write the manifest of a published model of generated pictures: firsthand.json in its folder.')
    .option('--label <class>', 'the class that means "generated", where its name does not tell')
    .action(async (folder: string, o) => (await import('./import-model.ts')).importModelCommand(folder, o));
  program
    .command('replay-model')
    .description(
      'Score recent photos with a calibrated AI model. Prints which ones it would doubt, as JSON; changes nothing.',
    )
    .requiredOption('--model <manifest>', "path of the model's manifest, as in AI_MODEL")
    .option('--days <days>', 'how far back', daysOf, 30)
    .option('--tenant <id>', 'whose photos (needed where there are several accounts)')
    .addOption(new Option('--mode <mode>', 'which photos').choices(['live', 'test']).default('live'))
    .action(async o => (await import('./replay-model.ts')).replayModelCommand(o));
}

function addCorpus(program: Command): void {
  program
    .command('corpus')
    .description('Manage the picture lists that reverse search looks in.')
    .command('import')
    .argument('<path>', 'a text file with one PDQ hash per line, or a folder of pictures', path)
    .description('Add pictures to a list. Prints what was added and what was skipped, as JSON.')
    .option('--tenant <id>', 'only this tenant searches the list (default: every tenant)')
    .option('--name <name>', 'name of the list (default: the name of the file or folder)')
    .action(async (path: string, o) => (await import('./corpus.ts')).corpusImportCommand(path, o));
}

function addKeyCommands(program: Command): void {
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
}

function addPeopleCommands(program: Command): void {
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
}

function addChecks(program: Command): void {
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
}

function addRotations(program: Command): void {
  program
    .command('rotate-evidence-key')
    .description(
      'Replace the keys that sign the log and the bundles. Bundles are signed anew when they are downloaded again.',
    )
    .action(async () => (await import('./rotate.ts')).rotateEvidenceKeyCommand());
  program
    .command('rotate-credential-key')
    .description(
      'Replace the self-signed key of the Content Credentials. Photos signed before stay checkable. Prints the new certificates.',
    )
    .action(async () => (await import('./rotate.ts')).rotateCredentialKeyCommand());
}

function addBackupCommands(program: Command): void {
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
}

function daysOf(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 3_650) throw new InvalidArgumentError('Takes 1 to 3650.');
  return days;
}

function limitOf(text: string): number | null {
  if (text === 'default') return null;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > 1_000_000) {
    throw new InvalidArgumentError('Give a whole number from 1 to 1000000, or "default".');
  }
  return limit;
}
