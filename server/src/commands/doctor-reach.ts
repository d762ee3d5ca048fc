import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { loadCalibration, mustFit } from '@firsthand/forensics/ai/calibration.ts';
import { ModelFault } from '@firsthand/forensics/ai/manifest.ts';
import { encodeDisplay } from '@firsthand/forensics/files/decode.ts';
import { stampOf } from '../custody/bundles/time-stamp.ts';
import { openOwnModel } from '../inspection/analysis/own-model.ts';
import { many, one } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { createLog } from '../platform/lib/log.ts';
import { askMailServer } from '../platform/lib/mail.ts';
import type { DoctorFinding } from './doctor-finding.ts';

const TIMEOUT_MS = 10_000;
/** Attestations and sign-in links last minutes, and every time in a bundle is the clock's. */
const CLOCK_MS = 2_000;
const RENEW_DAYS = 14;
const ENDPOINTS = 3;

/** What the service must reach, and whether it answers: clock, certificate, mail server, time-stamp authority, receivers of webhooks, AI model. */
export async function reachFindings(deps: Deps): Promise<DoctorFinding[]> {
  const found = await Promise.all([
    clockFindings(deps),
    certificateFindings(deps.config.publicUrl),
    mailFindings(deps.config.smtpUrl),
    stampFindings(deps),
    egressFindings(deps),
    modelFindings(deps.config),
  ]);
  return found.flat();
}

async function clockFindings({ db }: Deps): Promise<DoctorFinding[]> {
  const before = Date.now();
  const row = await one<{ at: Date }>(db, 'select clock_timestamp() as at');
  const away = Math.round(row!.at.getTime() - (before + Date.now()) / 2);
  const finding = { part: 'clock', what: 'Clock' } as const;
  if (Math.abs(away) <= CLOCK_MS) return [{ ...finding, state: 'ok', detail: 'agrees with the database' }];
  const seconds = Math.round(Math.abs(away) / 1_000);
  return [
    {
      ...finding,
      state: 'wrong',
      detail: `${seconds} s ${away > 0 ? 'behind' : 'ahead of'} the database`,
      advice: 'Synchronise both machines with NTP (timedatectl set-ntp true).',
    },
  ];
}

async function certificateFindings(publicUrl: string | null): Promise<DoctorFinding[]> {
  if (!publicUrl?.startsWith('https:')) return [];
  const { hostname, port } = new URL(publicUrl);
  const end = await new Promise<Date | null>(resolve => {
    // The finding on PUBLIC_URL says what a browser would refuse.
    const socket = connectTls({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      rejectUnauthorized: false,
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.once('secureConnect', () => {
      resolve(new Date(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('error', () => resolve(null));
    socket.once('close', () => resolve(null));
  });
  if (!end) return [];
  const days = Math.floor((end.getTime() - Date.now()) / 86_400_000);
  const finding = {
    part: 'certificate',
    what: 'Certificate',
    detail: `${hostname}, until ${end.toISOString().slice(0, 10)}`,
  } as const;
  return days > RENEW_DAYS
    ? [{ ...finding, state: 'ok' }]
    : [{ ...finding, state: 'wrong', advice: 'Renew it, and let the proxy renew it by itself (certbot, Caddy).' }];
}

async function mailFindings(smtpUrl: string | null): Promise<DoctorFinding[]> {
  if (smtpUrl === null) return [];
  const finding = { part: 'mail_server', what: 'Mail server', detail: new URL(smtpUrl).host } as const;
  try {
    await askMailServer(smtpUrl);
    return [{ ...finding, state: 'ok' }];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return [
      {
        ...finding,
        state: 'wrong',
        advice:
          code === 'EAUTH'
            ? 'It refuses the sign-in. Correct user and password in SMTP_URL.'
            : `It does not answer (${code ?? message}). Correct host and port in SMTP_URL, or open the firewall for it.`,
      },
    ];
  }
}

async function stampFindings(deps: Deps): Promise<DoctorFinding[]> {
  const { tsaUrl } = deps.config;
  if (tsaUrl === null) return [];
  let reason = 'no answer';
  const log = createLog('warn', {
    write: line => {
      reason = (JSON.parse(line) as { err?: { message?: string } }).err?.message ?? reason;
    },
  });
  const stamped = await stampOf({ config: deps.config, log }, 'firsthand doctor\n');
  const finding = { part: 'time_stamp_authority', what: 'Time-stamp authority', detail: new URL(tsaUrl).host } as const;
  return stamped
    ? [{ ...finding, state: 'ok' }]
    : [
        {
          ...finding,
          state: 'wrong',
          advice: `It gives no valid stamp (${reason}). Set TSA_URL to another authority.`,
        },
      ];
}

/** Connects to the newest receivers, so that a closed firewall shows before a webhook waits. */
async function egressFindings({ db }: Deps): Promise<DoctorFinding[]> {
  const rows = await many<{ url: string }>(
    db,
    `select url from webhook_endpoints where disabled_at is null and not forget and (registered_at is not null or named) order by created_at desc limit $1`,
    [ENDPOINTS],
  );
  const hosts = new Map(rows.map(({ url }) => [new URL(url).host, new URL(url)]));
  return Promise.all(
    [...hosts].map(async ([host, url]): Promise<DoctorFinding> => {
      const code = await reach(url);
      const finding = { part: 'webhook_egress', what: 'Webhooks to', detail: host } as const;
      return code === null
        ? { ...finding, state: 'ok' }
        : {
            ...finding,
            state: 'wrong',
            advice: `No connection from here (${code}). Let the worker out to it, or correct the address.`,
          };
    }),
  );
}

/** The reason why no connection came about; null when one did. */
const reach = ({ hostname, port, protocol }: URL): Promise<string | null> =>
  new Promise(resolve => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
    const end = (reason: string | null) => {
      resolve(reason);
      socket.destroy();
    };
    socket.setTimeout(TIMEOUT_MS, () => end('ETIMEDOUT'));
    socket.once('connect', () => end(null));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });

/** Whether the operator's AI model scores a picture and is calibrated. */
async function modelFindings({ aiModel, aiModelToken }: Deps['config']): Promise<DoctorFinding[]> {
  if (aiModel === null) return [];
  const finding = { part: 'ai_model', what: 'AI model' } as const;
  try {
    const model = await openOwnModel(aiModel, aiModelToken);
    const grey = { width: 640, height: 480, data: new Uint8Array(640 * 480 * 3).fill(128) };
    const { sha256 } = await model.score(await encodeDisplay(grey));
    const calibration = await loadCalibration(aiModel);
    mustFit(calibration, sha256, aiModel);
    return [
      { ...finding, state: 'ok', detail: `${model.name}, calibrated on ${calibration.scores.length} genuine pictures` },
    ];
  } catch (fault) {
    if (!(fault instanceof ModelFault)) throw fault;
    const advice = 'Until then it adds nothing to the signal `ai_detection`. See docs/ai-model.md.';
    return [{ ...finding, state: 'wrong', detail: fault.message, advice }];
  }
}
