import { COSIGNATURE, ED25519, parseVkey, type Verifier } from '@firsthand/evidence/note.ts';
import type { Reader } from './reader.ts';

export interface WitnessesConfig {
  /** Witnesses that are asked to cosign our log; `url` without a slash at its end. */
  witnesses: { verifier: Verifier; url: string }[];
  /** Keys of others' logs that this installation cosigns. */
  witnessFor: Verifier[];
}

/** Reads `WITNESSES="<vkey> <url>, …"` and `WITNESS_FOR="<vkey>, …"`. */
export function readWitnesses({ list, fail }: Reader): WitnessesConfig {
  const keyOf = (name: string, vkey: string, kind: Verifier['kind'], wanted: string): Verifier => {
    try {
      const verifier = parseVkey(vkey);
      if (verifier.kind === kind) return verifier;
    } catch {
      // Told below.
    }
    return fail(name, wanted);
  };
  return {
    witnesses: list('WITNESSES').map(item => {
      const wanted = 'witnesses as "<verifier key> <URL>", comma-separated';
      const [vkey = '', url = '', ...more] = item.split(/\s+/);
      if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url) || more.length > 0) fail('WITNESSES', wanted);
      return { verifier: keyOf('WITNESSES', vkey, COSIGNATURE, wanted), url: url.replace(/\/+$/, '') };
    }),
    witnessFor: list('WITNESS_FOR').map(vkey =>
      keyOf('WITNESS_FOR', vkey, ED25519, 'verifier keys of logs, comma-separated'),
    ),
  };
}
