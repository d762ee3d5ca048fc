import { ensurePagesBuilt } from '../server/src/commands/build-pages.ts';

await ensurePagesBuilt(line => console.error(line));
