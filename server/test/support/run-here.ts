import { sentenceOf } from '@firsthand/cli/sentence.ts';
import { type Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import { createProgram } from '../../src/commands/program.ts';

export interface RanHere {
  /** Null where the command threw: `outcome.test.ts` holds what a process then exits with. */
  code: number | null;
  out: string;
  err: string;
}

/** Runs `firsthand ARGS` in this process: a process of its own takes a second. `env`: what its environment has besides. */
export async function runHere(args: readonly string[], env: Record<string, string> = {}): Promise<RanHere> {
  const written = { out: '', err: '' };
  const to = (stream: 'out' | 'err', text: string) => {
    written[stream] += text;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((...parts) => to('out', `${parts.join(' ')}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...parts) => to('err', `${parts.join(' ')}\n`)),
  ];
  const before = { env: process.env, code: process.exitCode };
  process.env = { ...before.env, ...env };
  process.exitCode = 0;
  try {
    const program = createProgram(process.env);
    const listen = (command: Command) => {
      command.configureOutput({ writeErr: text => to('err', text), writeOut: text => to('out', text) });
      command.commands.forEach(listen);
    };
    listen(program);
    const error = await program.parseAsync(args, { from: 'user' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    // Commander has written its own words.
    if (error !== null && !(error instanceof CommanderError)) to('err', sentenceOf(error));
    return { code: error === null ? Number(process.exitCode) : null, ...written };
  } finally {
    process.env = before.env;
    process.exitCode = before.code;
    for (const spy of spies) spy.mockRestore();
  }
}
