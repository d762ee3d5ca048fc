import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandOf, pageOf } from './report.ts';

const script = join(process.cwd(), 'bench/src/detection/provenance.ts');

it('commandOf leaves out --write and paths of this machine', () => {
  expect(commandOf(['node', script, '--data', '/home/me/pictures', '--write', 'out.md', '--drawn', '20'])).toBe(
    'node bench/src/detection/provenance.ts --data FOLDER --drawn 20',
  );
});

it('pageOf names the command above the table', () => {
  expect(pageOf('Cost', 'node bench.ts', '\n| a |\n')).toBe(
    '# Cost\n\nMade with\n\n```sh\nnode bench.ts\n```\n\n| a |\n',
  );
});
