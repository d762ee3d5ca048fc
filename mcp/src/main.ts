import { Console } from 'node:console';

// The client reads the protocol from stdout. Whatever a library prints goes to stderr, also while it is loaded.
globalThis.console = new Console(process.stderr, process.stderr);

const { start } = await import('./start.ts');
await start(process.argv.slice(2), process.env);
