import type { Command } from 'commander';

/** A valid call of each command, by its path. `{name}` is filled in by the test that runs it. */
export const CALLS: Readonly<Record<string, readonly string[]>> = {
  all: [],
  serve: [],
  work: [],
  migrate: [],
  'create-tenant': ['Second tenant'],
  'mint-key': ['--tenant', '{tenant}', '--mode', 'test'],
  calibrate: ['--from-reviews'],
  'corpus import': ['{hashes}'],
  'list-keys': ['--tenant', '{tenant}'],
  'revoke-key': ['{key}', '--tenant', '{tenant}'],
  'set-limit': ['{tenant}', 'default'],
  rekey: [],
  'sign-in-link': ['--email', 'owner@commands.example'],
  'people list': [],
  'people invite': ['--email', 'second@commands.example', '--role', 'viewer'],
  'people set-email': ['usr_01JD00000000000000000000AA', '--email', 'third@commands.example'],
  'people remove': ['usr_01JD00000000000000000000AA'],
  'log-name': ['vfy_01JD00000000000000000000AA'],
  doctor: [],
  demo: [],
  'rotate-evidence-key': [],
  'rotate-credential-key': [],
  backup: ['{backup}'],
  restore: ['{backup}'],
  'restore-check': [],
  'verify-evidence': ['{bundle}', '--trust', '{trust}'],
  monitor: ['http://localhost:{port}/log', '--once', '--state', '{state}'],
  listen: ['--forward', 'http://localhost:9/hooks'],
  'events resend': ['whd_01JD00000000000000000000AA'],
};

/** The paths of all commands that do something themselves. */
export function pathsOf(command: Command, parents: readonly string[] = []): string[] {
  return command.commands.flatMap(child => {
    const path = [...parents, child.name()];
    return child.commands.length > 0 ? pathsOf(child, path) : [path.join(' ')];
  });
}
