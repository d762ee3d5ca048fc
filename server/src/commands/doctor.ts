import { amber, green, red } from '@firsthand/cli/print.ts';
import { sentenceOf } from '@firsthand/cli/sentence.ts';
import { overdueForErasure } from '../custody/erasure/retention.ts';
import {
  type Finding,
  machineFindings,
  otherFindings,
  reverseFinding,
  signalFindings,
  storageFindings,
} from '../desk/system/findings.ts';
import { countsIn, unopened } from '../desk/system/sealed.ts';
import { readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import type { Deps } from '../platform/deps.ts';
import { PROGRAM } from '../platform/lib/program.ts';
import { fullVersion } from '../platform/lib/version.ts';
import { checkSeals } from '../verification/verifications/check-seals.ts';
import { credentialFindings } from './doctor-credentials.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import { outsideFindings } from './doctor-outside.ts';
import { reachFindings } from './doctor-reach.ts';
import { visionFindings } from './doctor-vision.ts';
import { withDeps } from './tenants.ts';

const MARK = { ok: green('✓'), missing: amber('○'), wrong: red('✗') };

/** `firsthand doctor`: checks each required and optional part and prints what to do. Exit code 1 when something is wrong. */
export async function doctor({ json }: { json?: boolean } = {}): Promise<void> {
  const config = readConfig(loadEnvironment());
  const findings: DoctorFinding[] = [
    { part: 'version', state: 'ok', what: `Firsthand ${fullVersion()}` },
    ...(await machineFindings(config)),
    ...(await withDeps(inside).catch((error: Error): DoctorFinding[] => [
      { part: 'database', state: 'wrong', what: 'Database', advice: sentenceOf(error) },
    ])),
    ...(await visionFindings(config)),
    ...otherFindings({ config, origins: { public: config.publicUrl ?? 'http://localhost', capture: '' } }),
  ];
  console.log(json ? JSON.stringify({ findings }, null, 2) : findings.map(lineOf).join('\n'));
  if (findings.some(finding => finding.state === 'wrong')) process.exitCode = 1;
}

const lineOf = ({ state, what, detail, advice }: DoctorFinding): string =>
  `${MARK[state]} ${what}${detail ? ` ${detail}` : ''}${advice ? `\n    ${advice}` : ''}`;

function sealFinding({ sealed, mismatches }: Awaited<ReturnType<typeof checkSeals>>): Finding {
  const [some, more] = [mismatches.slice(0, 5).join(', '), mismatches.length > 5 ? ', …' : ''];
  return mismatches.length === 0
    ? {
        part: 'seals',
        state: 'ok',
        what: sealed === 0 ? 'Record seals: no records yet' : `Record seals: ${sealed} match`,
      }
    : {
        part: 'seals',
        state: 'wrong',
        what: `Record seals: ${mismatches.length} of ${sealed} do not match`,
        advice: `Something other than the service changed ${some}${more}. Compare with a backup or the evidence bundle.`,
      };
}

async function keysFinding({ db, keyring }: Deps): Promise<DoctorFinding> {
  const counts = await unopened(db, keyring);
  return counts.size === 0
    ? { part: 'encryption_keys', state: 'ok', what: 'Encryption keys: they open what is stored' }
    : {
        part: 'encryption_keys',
        state: 'wrong',
        what: `Encryption keys: none opens ${countsIn(counts)}`,
        advice: `Add the key that encrypted it at the end of ENCRYPTION_KEYS, then run ${PROGRAM} rekey.`,
      };
}

async function inside(deps: Deps): Promise<DoctorFinding[]> {
  const overdue = await overdueForErasure(deps);
  return [
    ...(await storageFindings(deps)),
    await keysFinding(deps),
    ...(await outsideFindings(deps)),
    ...(await reachFindings(deps)),
    await reverseFinding(deps),
    ...(await signalFindings(deps)),
    sealFinding(await checkSeals(deps.db)),
    ...(await credentialFindings(deps)),
    ...(overdue === 0
      ? []
      : [
          {
            part: 'retention' as const,
            state: 'wrong' as const,
            what: `${overdue} verifications are past their retention`,
            advice: `A worker erases them. Start one: ${PROGRAM} work, or ${PROGRAM} all for everything.`,
          },
        ]),
  ];
}
