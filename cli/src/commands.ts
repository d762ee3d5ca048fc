import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MonitorOptions } from './monitor.ts';
import type { VerifyEvidenceOptions } from './verify-evidence.ts';

// The commands that need no installation of the service. The server's `firsthand` has them too.
// Each imports its program when it runs: most of the time that a short one takes is the loading of modules.

/** Adds `demo`. `url`: where the service is unless `--url` says otherwise. */
export function addDemo(program: Command, url: string): void {
  program
    .command('demo')
    .description('Run the whole flow against the running service.')
    .option('--url <url>', 'base URL of the service', webUrl, url)
    .option('--key <key>', 'an API key (default: the test key in first-run.json)')
    .action(async o => (await import('./demo.ts')).demo(o));
}

/** Adds `verify-evidence` and `monitor`. */
export function addEvidenceCommands(program: Command): void {
  program
    .command('verify-evidence')
    .argument('<file>', 'evidence bundle (zip) from GET /v1/verifications/:id/evidence', path)
    .description(
      'Check an evidence bundle offline. Exit code 0: valid, 1: not valid, 2: no trusted key, or a retired one, 3: not a bundle, or it could not be checked.',
    )
    .option(
      '--trust <key>',
      'trust this verifier key, or the keys in this file: the JWK Set of GET /v1/evidence-keys, or verifier keys; repeatable',
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
}

/** Adds `listen` and `events resend`. */
export function addEventCommands(program: Command, url: string): void {
  const service = new Option('--url <url>', 'base URL of the service').argParser(webUrl).default(url);
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
}

/** Makes each command answer a wrong argument with the name of its own help. */
export function nameHelp(command: Command, parents = ''): void {
  const path = `${parents}${command.name()}`;
  command.showHelpAfterError(`See: ${path} --help`);
  for (const child of command.commands) nameHelp(child, `${path} `);
}

export function webUrl(text: string): string {
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new InvalidArgumentError('Give a URL that starts with http:// or https://.');
  }
  return text;
}

export function path(text: string): string {
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
