#!/usr/bin/env node
// Plain JavaScript that any Node.js can read: hands over to the Node.js that the checkout brings along.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const own = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
const recent = Number(process.versions.node.split('.')[0]) >= 24;
if (!recent && !existsSync(own)) await import('../../scripts/require-node.cjs');
// V8's default lets each thread collect up to 100 MB of young garbage, which saves no time here.
const options = ['--max-semi-space-size=8'];
const child = spawn(recent || !existsSync(own) ? process.execPath : own, [...options, main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // glibc's default keeps eight pools of freed memory a core, and the pictures of an analysis in each.
  env: { MALLOC_ARENA_MAX: '2', ...process.env },
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
