import { ensurePagesBuilt } from '../server/src/commands/build-pages.ts';

await ensurePagesBuilt();
