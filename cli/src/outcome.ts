import { writeSync } from 'node:fs';
import type { CommanderError } from 'commander';
import { sentenceOf } from './sentence.ts';

/** Commands that give 1 a meaning of its own. What they could not do ends in 3. */
const ONE_IS_AN_ANSWER = new Set(['verify-evidence', 'monitor']);
const SERVICES = new Set(['all', 'serve', 'work']);
/** Commands that run until somebody stops them, and hold nothing that must be closed. */
const ENDLESS = new Set(['listen', 'monitor']);

let ended = false;

/** Says that the work is done. Only then may the process exit with 0. */
export function workEnded(): void {
  ended = true;
}

/**
 * Runs a command. The process exits with 0 only if the work said that it ended and its output was written. A promise that never settles
 * leaves Node.js nothing to wait for, and it would exit with 0 in silence; so would a report that went into a closed pipe.
 */
export async function runCommand(command: () => Promise<unknown>, argv: readonly string[]): Promise<void> {
  const name = argv.find(argument => !argument.startsWith('-')) ?? '';
  const failure = ONE_IS_AN_ANSWER.has(name) ? 3 : 1;
  const service = SERVICES.has(name);
  let unwritten: NodeJS.ErrnoException | undefined;

  const fail = (error: unknown): never => {
    // Commander has printed its own words.
    if (!isOfCommander(error)) say(sentenceOf(error));
    if (process.env.LOG_LEVEL === 'debug') say((error as Error).stack ?? '');
    process.exit(process.exitCode || failure);
  };
  process.on('exit', code => {
    if (ended || code !== 0) return;
    say('Firsthand stopped before its work was done. Nothing can be said about the result.');
    process.exitCode = failure;
  });
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      unwritten ??= error;
      if (ENDLESS.has(name)) process.exit(failure);
    });
  }
  // A fault of the service shows where it happened, as Node.js prints it.
  if (!service) process.on('uncaughtException', fail);

  try {
    await command();
    if (service) return;
  } catch (error) {
    // Help and version were asked for and printed.
    if (!(isOfCommander(error) && error.exitCode === 0)) fail(error);
  }
  await new Promise<void>(resolve => process.stdout.write('', () => resolve()));
  if (unwritten) {
    if (unwritten.code !== 'EPIPE') say(`The output could not be written (${unwritten.code}).`);
    process.exitCode ||= failure;
  }
  workEnded();
}

/** Writes to standard error at once, also while the process exits. A closed one is passed over. */
function say(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // Nobody reads it; the exit code says enough.
  }
}

/** The name decides: the caller may have another copy of Commander, with a class of its own. */
const isOfCommander = (error: unknown): error is CommanderError =>
  error instanceof Error && error.name === 'CommanderError';
