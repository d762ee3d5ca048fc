import { createHash } from 'node:crypto';
import { stampRequest } from '@firsthand/stamps/rfc3161.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { openAuthority } from '../../stamps/test/authority.ts';
import { utf8 } from '../src/bytes.ts';
import { verifyBundle } from '../src/verify.ts';
import { chunked, makeBundle, resign, zip } from './build.ts';

const authority = openAuthority();
const other = openAuthority();
afterAll(() => {
  authority.close();
  other.close();
});

const nonce = Uint8Array.from({ length: 16 }, (_, at) => 0x41 + at);
const imprint = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

describe('verifyBundle', () => {
  const stamped = () => {
    const made = makeBundle();
    made.files.set('timestamp.tsr', authority.reply(stampRequest(imprint(utf8(made.signedCheckpoint)), nonce)));
    resign(made);
    return made;
  };

  it('checks the stamp over the checkpoint as the log signed it, also under cosignatures', async () => {
    const made = stamped();
    const report = await verifyBundle(chunked(zip(made.files)), {
      trusted: [made.log, made.bundle],
      tsaRoots: authority.root,
    });
    expect(report).toMatchObject({
      exit_code: 0,
      faults: [],
      timestamp: { authority: 'Test stamps, Test authority', root_checked: true },
    });
  });

  it('reports a missing root without changing the exit code; a wrong root is a fault', async () => {
    const made = stamped();
    const trusted = [made.log, made.bundle];
    const unchecked = await verifyBundle(chunked(zip(made.files)), { trusted });
    expect(unchecked.exit_code).toBe(0);
    expect(unchecked.notes.join()).toContain('not checked against a root');
    const wrong = await verifyBundle(chunked(zip(made.files)), { trusted, tsaRoots: other.root });
    expect(wrong.faults).toMatchObject([{ check: 'timestamp', entry: 'timestamp.tsr' }]);
    expect(wrong.exit_code).toBe(1);
  });
});
