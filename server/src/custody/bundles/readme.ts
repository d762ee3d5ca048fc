import { equal, hex, utf8 } from '@firsthand/evidence/bytes.ts';
import { parseNote, type Verifier, vkeyOf } from '@firsthand/evidence/note.ts';
import type { Head } from './head.ts';

/** An Ed25519 SubjectPublicKeyInfo without its key, RFC 8410. */
const SPKI_PREFIX = '302a300506032b6570032100';

/** The README of a bundle: how to check it by hand, with commands. */
export function readmeOf(o: {
  verificationId: string;
  livemode: boolean;
  head: Head;
  bundleKey: Verifier;
  statements: number;
  /** Where the page that checks a bundle can be had. */
  verifyUrl: string;
}): string {
  const { head, bundleKey } = o;
  const line = lineOfLog(head);
  const test = o.livemode ? '' : 'TEST, not evidence: this verification was made in test mode or as a trial.\n\n';
  return `${test}Evidence of verification ${o.verificationId}

This folder is complete: it can be checked without the service that issued it. The easy way is

  firsthand verify-evidence FILE.zip --trust KEYS.json

or the page ${o.verifyUrl}. Save that page once: it works from disk, with the network off, and sends nothing.

KEYS.json is the list of keys from the address /v1/evidence-keys of the issuer's service, or from the issuer in writing. It says which key
signs the log and which signs bundles, and which were retired. These two must be in it, the one as log key, the other as bundle key:

  log key     ${vkeyOf(head.key)}
  bundle key  ${vkeyOf(bundleKey)}

By hand, with sha256sum, openssl, jq and xxd:

1. The files are those that manifest.json lists.
   jq -r '.files[] | .sha256 + "  " + .path' manifest.json | sha256sum -c

2. The bundle key signed manifest.json.
   printf 'firsthand-evidence/1\\n%s\\n' "$(sha256sum manifest.json | cut -c1-64)" > /tmp/text
   tail -n 1 manifest.sig | cut -d' ' -f3 | base64 -d | tail -c 64 > /tmp/signature
   printf '${SPKI_PREFIX}${hex(bundleKey.publicKey)}' | xxd -r -p > /tmp/key
   openssl pkeyutl -verify -pubin -keyform DER -inkey /tmp/key -rawin -in /tmp/text -sigfile /tmp/signature

3. The log key signed the state of the log.
   sed -e '1,/^$/d' proofs/1.tlog-proof | sed -e '/^$/,$d' > /tmp/text
   sed -e '1,/^$/d' proofs/1.tlog-proof | sed -e '1,/^$/d' | sed -n ${line}p | cut -d' ' -f3 | base64 -d | tail -c 64 > /tmp/signature
   printf '${SPKI_PREFIX}${hex(head.key.publicKey)}' | xxd -r -p > /tmp/key
   openssl pkeyutl -verify -pubin -keyform DER -inkey /tmp/key -rawin -in /tmp/text -sigfile /tmp/signature

4. Each statement is in the log. Its entry is the byte 01 and then this hash (for statement 1 of ${o.statements}):
   ( printf 'firsthand/commit/v1\\n'; jq -r .salt statements/1.json | base64 -d
     jq -cjS .statement statements/1.json ) | sha256sum
   proofs/1.tlog-proof shows that entry's place in the log of ${head.size} entries at the origin
   ${head.origin}. Any tool for c2sp.org/tlog-proof reads it.

5. The photos are those that the statements name: image.sha256 in statements/N.json is the SHA-256 of originals/<capture_id>.*
   credentials/<capture_id>.* are the same photos with their Content Credentials inside (C2PA), for readers of those.

6. The record and its answers are sealed: sha256sum record.json is the hash in seal.json and record_seal.hash in the statement
   of type verdict.

What this shows: these bytes were received, judged and recorded as stated, and have not been changed since. What it does not show:
that a photo's content or an answer is true, that the verdict is right, or who held the camera.
`;
}

/** Which of the signatures of the note is the log's own, counted from 1. */
function lineOfLog({ key, note }: Head): number {
  const { signatures } = parseNote(utf8(note));
  return 1 + signatures.findIndex(({ name, id }) => name === key.name && equal(id, key.id));
}
