// Preloaded with --import: the service then states nothing and keeps no log. Only for the comparison in evidence.ts.
import { patchModule } from './patch-module.ts';

patchModule(
  '/server/src/record/evidence/statements.ts',
  /export async function appendStatements\([\s\S]*?\): Promise<void> \{/,
  start => `${start} return;`,
);
patchModule(
  '/server/src/record/evidence/run.ts',
  /export function startLog\([\s\S]*?\): \{\s*stop\(\): Promise<void>;?\s*\} \{/,
  start => `${start} return { stop: async () => {} };`,
);
