import { X509Certificate } from 'node:crypto';
import { sentenceOf } from '@firsthand/cli/sentence.ts';
import { officialDate } from '@firsthand/forensics/ai/trust-list/trust-list.ts';
import { credentialKey, signerOf } from '../custody/credentials/keys.ts';
import type { Deps } from '../platform/deps.ts';
import type { DoctorFinding } from './doctor-finding.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const STALE_DAYS = 365;

/** Who signs Content Credentials and for how long, tried with one signature, and how old the trust list is. */
export async function credentialFindings(
  deps: Pick<Deps, 'config' | 'db' | 'keyring' | 'clock'>,
): Promise<DoctorFinding[]> {
  return [await signerFinding(deps), listFinding(deps)];
}

async function signerFinding(deps: Pick<Deps, 'config' | 'db' | 'keyring' | 'clock'>): Promise<DoctorFinding> {
  const part = 'content_credentials';
  try {
    const key = await credentialKey(deps);
    const certificate = new X509Certificate(key.certificate);
    const name = commonNameOf(certificate.subject);
    const until = certificate.validToDate;
    await signerOf(key).sign(new TextEncoder().encode('firsthand doctor'));
    const days = Math.floor((until.getTime() - deps.clock.now().getTime()) / DAY_MS);
    const what = `Content Credentials: signed by ${name}, until ${until.toISOString().slice(0, 10)}`;
    if (days < SOON_DAYS) {
      const advice =
        key.source === 'own'
          ? 'Run firsthand rotate-credential-key.'
          : 'Get a new certificate and set C2PA_CERTIFICATE, with its key in C2PA_PRIVATE_KEY or at C2PA_SIGNER_URL.';
      return { part, state: 'wrong', what, advice };
    }
    if (key.source !== 'own') return { part, state: 'ok', what };
    return {
      part,
      state: 'missing',
      what: `${what}, self-signed`,
      advice:
        'Readers show the signer as unknown. For a name that they know, get a certificate from an authority on the C2PA trust list and set ' +
        'C2PA_CERTIFICATE with C2PA_PRIVATE_KEY or C2PA_SIGNER_URL.',
    };
  } catch (error) {
    return {
      part,
      state: 'wrong',
      what: 'Content Credentials: photos cannot be signed',
      advice: sentenceOf(error as Error),
    };
  }
}

function listFinding({ config, clock }: Pick<Deps, 'config' | 'clock'>): DoctorFinding {
  const part = 'trust_list';
  if (!config.c2paTrustList) {
    return {
      part,
      state: 'missing',
      what: 'C2PA trust list: switched off',
      advice: 'Only C2PA_TRUST_ANCHORS are trusted.',
    };
  }
  const date = officialDate();
  const what = `C2PA trust list of ${date}`;
  const days = (clock.now().getTime() - Date.parse(date)) / DAY_MS;
  return days < STALE_DAYS
    ? { part, state: 'ok', what }
    : {
        part,
        state: 'missing',
        what,
        advice: 'It is more than a year old. Update Firsthand, or refresh it as docs/evidence.md says.',
      };
}

/** The CN of a subject as Node.js prints it, else the whole. */
const commonNameOf = (subject: string): string => /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
