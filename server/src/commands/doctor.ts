import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { type Config, readConfig } from '../config/config.ts';
import { loadEnvironment } from '../config/environment.ts';
import type { Deps } from '../deps.ts';
import { overdueForErasure } from '../erasure/retention.ts';
import { missingWays } from '../people/sign-in/ways.ts';
import { checkSeals } from '../verifications/check-seals.ts';
import type { Finding } from './doctor-line.ts';
import { visionFindings } from './doctor-vision.ts';
import { amber, green, red } from './print.ts';
import { withDeps } from './tenants.ts';

const MARK = { ok: green('✓'), missing: amber('○'), wrong: red('✗') };

/** `firsthand doctor`: checks each required and optional part and prints what to do. Exit code 1 when something is wrong. */
export async function doctor(): Promise<void> {
  const findings: Finding[] = [];
  const config = readConfig(loadEnvironment());
  const [major] = process.versions.node.split('.');
  findings.push(
    Number(major) >= 24
      ? { state: 'ok', what: `Node.js ${process.versions.node}` }
      : {
          state: 'wrong',
          what: `Node.js ${process.versions.node}`,
          advice: 'Firsthand needs version 24 or later. Run npm ci to install it.',
        },
  );
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 }).catch(() => {});
  findings.push(
    await access(config.dataDir, constants.W_OK).then(
      (): Finding => ({ state: 'ok', what: `Data folder ${config.dataDir}` }),
      (): Finding => ({
        state: 'wrong',
        what: `Data folder ${config.dataDir}`,
        advice: 'Firsthand cannot write to it. Set DATA_DIR to another folder.',
      }),
    ),
  );
  const disk = await statfs(config.dataDir).catch(() => null);
  if (disk && disk.bavail * disk.bsize < 1e9) {
    findings.push({
      state: 'wrong',
      what: 'Less than 1 GB of disk space is free',
      advice: 'Free some space, or set DATA_DIR.',
    });
  }
  try {
    findings.push(...(await withDeps(inside)));
  } catch (error) {
    findings.push({ state: 'wrong', what: 'Database', advice: (error as Error).message });
  }
  findings.push(
    ...(await visionFindings(config)),
    optional(
      config.geocoderUrl !== null,
      'Geocoder',
      'Location match reads only "lat,lng" and Open Location Codes. To read addresses, set GEOCODER_URL to a Nominatim-compatible server.',
    ),
    ...signInFindings(config),
    optional(config.smtpUrl !== null, 'E-mail', 'Firsthand sends no notifications. Set SMTP_URL and MAIL_FROM.'),
    optional(
      config.turnstile !== null || config.appAttest !== null || config.playIntegrity !== null,
      'Attestation',
      'Firsthand ignores attestation tokens. Set TURNSTILE_SECRET and TURNSTILE_SITE_KEY. For apps, see docs/attestation.md.',
    ),
    optional(config.tsaUrl !== null, 'Time stamps', 'Bundles carry none. Set TSA_URL to an RFC 3161 authority.'),
  );
  for (const { state, what, advice } of findings)
    console.log(`${MARK[state]} ${what}${advice ? `\n    ${advice}` : ''}`);
  if (findings.some(finding => finding.state === 'wrong')) process.exitCode = 1;
}

const optional = (present: boolean, what: string, advice: string): Finding =>
  present ? { state: 'ok', what } : { state: 'missing', what: `${what}: not configured`, advice };

/** Lists the sign-in methods, and for each disabled one the settings it needs. */
function signInFindings(config: Config): Finding[] {
  const missing = missingWays({ config, origins: { public: config.publicUrl ?? 'http://localhost', capture: '' } });
  return (
    [
      ['passkey', 'Sign-in with a passkey'],
      ['providers', 'Sign-in with an identity provider'],
      ['magic_link', 'Sign-in by e-mail'],
      ['one_time_code', 'Sign-in with a code by message'],
    ] as const
  ).map(([way, what]) => optional(missing[way] === undefined, what, missing[way] ?? ''));
}

function sealFinding({ sealed, mismatches }: Awaited<ReturnType<typeof checkSeals>>): Finding {
  const [some, more] = [mismatches.slice(0, 5).join(', '), mismatches.length > 5 ? ', …' : ''];
  return mismatches.length === 0
    ? { state: 'ok', what: `Record seals: ${sealed} match` }
    : {
        state: 'wrong',
        what: `Record seals: ${mismatches.length} of ${sealed} do not match`,
        advice: `Something other than the service changed ${some}${more}. Compare with a backup or the evidence bundle.`,
      };
}

async function inside(deps: Deps): Promise<Finding[]> {
  const { rows } = await deps.db.query<{ version: string }>('select version()');
  const version = rows[0]?.version.split(' ').slice(0, 2).join(' ') ?? 'PostgreSQL';
  const store = deps.config.s3 ? `S3 bucket ${deps.config.s3.bucket}` : 'Disk store';
  const reached = await deps.blobs.check().then(
    (): Finding => ({ state: 'ok', what: store }),
    (error: Error): Finding => ({ state: 'wrong', what: store, advice: error.message }),
  );
  const overdue = await overdueForErasure(deps);
  return [
    { state: 'ok', what: `${version}${deps.config.databaseUrl ? '' : ' (embedded)'}` },
    reached,
    sealFinding(await checkSeals(deps.db)),
    ...(overdue === 0
      ? []
      : [
          {
            state: 'wrong' as const,
            what: `${overdue} verifications are past their retention`,
            advice: 'A worker erases them. Start one: npx firsthand work, or npm start for everything.',
          },
        ]),
  ];
}
