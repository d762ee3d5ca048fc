import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Test vectors of other implementations; `testdata/SOURCES.md` names them and their licences.

export const testdata = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'testdata', name), 'utf8')) as T;
