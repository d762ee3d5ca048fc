import { access, constants, mkdir, statfs } from 'node:fs/promises';
import type { SystemFinding, SystemPart } from '@firsthand/contract/statistics/system.ts';
import { missingWays } from '../../identity/people/sign-in/ways.ts';
import { findTextReader } from '../../inspection/checks/tesseract.ts';
import { BucketUnfit } from '../../platform/blobs/write-once.ts';
import type { Config } from '../../platform/config/config.ts';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { hasEngine } from '../../verification/verifications/warnings.ts';

/** The state of one part. `detail` names folders, servers and errors for the operator. */
export type Finding = SystemFinding & { detail?: string };

const NODE_MAJOR = 24;
const DISK_LEAST_BYTES = 1e9;
export const NO_MODEL =
  'Without one, object_match is inconclusive, condition is absent, context finds nothing and case_analysis uses only the ' +
  'record. Set VISION_BASE_URL and VISION_MODEL. docs/vision.md shows how for vLLM, Ollama and llama.cpp.';

const optional = (part: SystemPart, present: boolean, what: string, advice: string): Finding =>
  present ? { part, state: 'ok', what } : { part, state: 'missing', what: `${what}: not configured`, advice };

/** The machine: runtime, data folder, free space. */
export async function machineFindings({ dataDir }: Pick<Config, 'dataDir'>): Promise<Finding[]> {
  const what = `Node.js ${process.versions.node}`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {});
  const writable = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  );
  const disk = await statfs(dataDir).catch(() => null);
  return [
    Number(process.versions.node.split('.')[0]) >= NODE_MAJOR
      ? { part: 'node', state: 'ok', what }
      : {
          part: 'node',
          state: 'wrong',
          what,
          advice: `Firsthand needs version ${NODE_MAJOR} or later. Run npm ci to install it.`,
        },
    writable
      ? { part: 'data_folder', state: 'ok', what: 'Data folder', detail: dataDir }
      : {
          part: 'data_folder',
          state: 'wrong',
          what: 'Data folder',
          detail: dataDir,
          advice: 'Firsthand cannot write to it. Set DATA_DIR to another folder.',
        },
    ...(disk && disk.bavail * disk.bsize < DISK_LEAST_BYTES
      ? [
          {
            part: 'disk_space' as const,
            state: 'wrong' as const,
            what: 'Less than 1 GB of disk space is free',
            advice: 'Free some space, or set DATA_DIR.',
          },
        ]
      : []),
  ];
}

/** The parts that keep data: database and blob store. Both are asked. */
export async function storageFindings({
  db,
  blobs,
  config,
}: Pick<Deps, 'db' | 'blobs' | 'config'>): Promise<Finding[]> {
  const row = await one<{ version: string }>(db, 'select version()');
  const version = row!.version.split(' ').slice(0, 2).join(' ');
  const store = config.s3 ? 'S3 bucket' : 'Disk store';
  const bucket = config.s3 ? { detail: config.s3.bucket } : {};
  return [
    { part: 'database', state: 'ok', what: `${version}${config.databaseUrl ? '' : ' (embedded)'}` },
    await blobs.check().then(
      (): Finding => ({ part: 'store', state: 'ok', what: store, ...bucket }),
      (error: Error): Finding => ({
        part: 'store',
        state: 'wrong',
        what: store,
        detail: [config.s3?.bucket, error instanceof BucketUnfit ? '' : error.message].filter(Boolean).join(': '),
        advice:
          error instanceof BucketUnfit
            ? error.message
            : 'It cannot be read or written. Check that it runs and that the settings name it.',
      }),
    ),
  ];
}

/** The parts that settings switch on. The model is not asked. */
export async function settingFindings({ config, origins }: Pick<Deps, 'config' | 'origins'>): Promise<Finding[]> {
  return [
    optional('vision_model', config.vision !== null, 'Vision model', NO_MODEL),
    await textFinding(config),
    ...otherFindings({ config, origins }),
  ];
}

/** What `reverse` can search beside each account's own earlier photos. */
export async function reverseFinding({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Finding> {
  const lists = await one<{ count: number }>(db, 'select count(*)::int as count from reverse_lists');
  const count = lists?.count ?? 0;
  const part = 'reverse_search';
  if (count > 0 || hasEngine({ config })) {
    const engine = hasEngine({ config }) ? ', search engine configured' : '';
    return { part, state: 'ok', what: `Reverse search: ${count} imported ${count === 1 ? 'list' : 'lists'}${engine}` };
  }
  return {
    part,
    state: 'missing',
    what: 'Reverse search: only the earlier photos of each account',
    advice:
      'Until an account has some, `reverse` cannot be evaluated there. Import a list with `firsthand corpus import`, or set ' +
      'REVERSE_SEARCH_GOOGLE_API_KEY or REVERSE_SEARCH_TINEYE_API_KEY.',
  };
}

/** Accounts whose setting requires `context` where no vision model is configured. */
export async function signalFindings({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Finding[]> {
  if (config.vision !== null) return [];
  const found = await one<{ count: number }>(
    db,
    `select count(*)::int as count from tenants where 'context' = any(signals_required)`,
  );
  const count = found?.count ?? 0;
  if (count === 0) return [];
  return [
    {
      part: 'required_signals',
      state: 'wrong',
      what: `${count} ${count === 1 ? 'account requires' : 'accounts require'} \`context\`, which nothing can evaluate`,
      advice: 'Set VISION_BASE_URL and VISION_MODEL, or take `context` out of the setting `signals_required`.',
    },
  ];
}

export async function textFinding({ tesseract }: Pick<Config, 'tesseract'>): Promise<Finding> {
  const reader = await findTextReader(tesseract);
  const part = 'text_reader';
  if (reader) return { part, state: 'ok', what: `Text reader: ${reader.name} (${reader.languages})` };
  if (tesseract.command === 'none') {
    return { part, state: 'missing', what: 'Text reader: switched off (TESSERACT=none)', advice: INSTEAD };
  }
  return {
    part,
    state: 'wrong',
    what: `Text reader: no Tesseract answers at ${tesseract.command}`,
    advice: `Correct TESSERACT, or remove it to use an installed or the built-in Tesseract. ${INSTEAD}`,
  };
}

const INSTEAD = 'Until then the vision model reads the text for ocr_type, if you have one.';

/** Geocoder, the ways to sign in, e-mail, attestation and time stamps. */
export function otherFindings({ config, origins }: Pick<Deps, 'config' | 'origins'>): Finding[] {
  const missing = missingWays({ config, origins });
  const ways = [
    ['passkey', 'Sign-in with a passkey'],
    ['providers', 'Sign-in with an identity provider'],
    ['magic_link', 'Sign-in by e-mail'],
    ['one_time_code', 'Sign-in with a code by message'],
  ] as const;
  return [
    optional(
      'geocoder',
      config.geocoderUrl !== null,
      'Geocoder',
      'Location match reads only "lat,lng" and Open Location Codes. To read addresses, set GEOCODER_URL to a Nominatim-compatible server.',
    ),
    ...ways.map(([way, what]) => optional(way, missing[way] === undefined, what, missing[way] ?? '')),
    optional(
      'email',
      config.smtpUrl !== null,
      'E-mail',
      'Firsthand sends no notifications. Set SMTP_URL and MAIL_FROM.',
    ),
    optional(
      'attestation',
      config.turnstile !== null || config.appAttest !== null || config.playIntegrity !== null,
      'Attestation',
      'Firsthand ignores attestation tokens. Set TURNSTILE_SECRET and TURNSTILE_SITE_KEY. For apps, see docs/attestation.md.',
    ),
    optional(
      'time_stamps',
      config.tsaUrl !== null,
      'Time stamps',
      'Bundles carry none. Set TSA_URL to an RFC 3161 authority.',
    ),
  ];
}
