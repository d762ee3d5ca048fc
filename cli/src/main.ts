import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addDemo, addEventCommands, addEvidenceCommands, nameHelp } from './commands.ts';
import { runCommand } from './outcome.ts';

// The published command. The server's `firsthand` has these commands beside its own.

if (existsSync('.env')) process.loadEnvFile('.env');
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const url = process.env.FIRSTHAND_URL?.trim() || process.env.PUBLIC_URL?.trim() || 'http://localhost:8080';
const program = new Command('firsthand')
  .description('Follows events, tries the flow, checks evidence and watches logs of a Firsthand service.')
  .version(version, '--version', 'print the version')
  .exitOverride();
addDemo(program, url);
addEventCommands(program, url);
addEvidenceCommands(program);
nameHelp(program);

void runCommand(() => program.parseAsync(), process.argv.slice(2));
