import type { AiResult } from '@firsthand/forensics/ai/assess.ts';
import { loadCalibration, mustFit, withModel } from '@firsthand/forensics/ai/calibration.ts';
import { type HostedManifest, isHosted, ModelFault, readManifest } from '@firsthand/forensics/ai/manifest.ts';
import { withFault } from '@firsthand/forensics/ai/operator-model.ts';
import { askJson, isRecord, NoAnswer } from '../../platform/lib/ask-json.ts';
import { digestOf } from '../../platform/lib/digest.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** A picture as a browser can show it. */
export interface ScoredFile {
  bytes: Uint8Array;
  contentType: string;
}

export interface HostedScore {
  /** 0..1, higher where the picture looks generated. */
  score: number;
  /** SHA-256 of what the service says of its version. A calibration is valid only for this version. */
  sha256: string;
}

/**
 * Asks the operator's service for the score of one picture. Asks once more when the service is busy or away.
 *
 * @throws ModelFault that says how the service failed, and carries no secret.
 */
export async function askHosted(
  manifest: HostedManifest,
  token: string | null,
  file: ScoredFile,
): Promise<HostedScore> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askOnce(manifest, token, file).catch((cause: unknown) => {
      if (!(cause instanceof NoAnswer)) throw cause;
      return cause;
    });
    const passing =
      answer instanceof NoAnswer
        ? answer.code === 'timeout' || answer.code === 'unreachable'
        : answer.status === 429 || answer.status >= 500;
    if (passing && attempt === 1) continue;
    if (answer instanceof NoAnswer) throw new ModelFault(`${manifest.name} ${answer.message}`, { cause: answer });
    if (answer.status !== 200) throw new ModelFault(`${manifest.name} answered ${answer.status}`);
    return scoreOf(manifest, answer.body);
  }
}

const askOnce = ({ url }: HostedManifest, token: string | null, { bytes, contentType }: ScoredFile) =>
  askJson(url, {
    method: 'POST',
    headers: { 'content-type': contentType, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: bytes as Uint8Array<ArrayBuffer>,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    maxBytes: MAX_ANSWER_BYTES,
  });

async function scoreOf({ name }: HostedManifest, body: unknown): Promise<HostedScore> {
  const { score, model } = isRecord(body) ? body : {};
  if (typeof score !== 'number' || !(score >= 0 && score <= 1))
    throw new ModelFault(`${name} answered without a score from 0 to 1`);
  if (typeof model !== 'string' || model === '') throw new ModelFault(`${name} answered without a model`);
  return { score, sha256: await digestOf(Buffer.from(model)) };
}

const manifests = new Map<string, Promise<HostedManifest | null>>();

/** The service that a manifest names. Null where it names an ONNX file, or cannot be read. Each manifest is read once. */
export function hostedAt(manifestPath: string): Promise<HostedManifest | null> {
  const known =
    manifests.get(manifestPath) ??
    readManifest(manifestPath).then(
      manifest => (isHosted(manifest) ? manifest : null),
      () => null,
    );
  manifests.set(manifestPath, known);
  return known;
}

/** Adds the score of the operator's service. A service that gives none is named in the evidence and changes nothing else. */
export async function withHostedModel(
  result: AiResult,
  o: { manifest: HostedManifest; manifestPath: string; token: string | null; file: ScoredFile },
): Promise<AiResult> {
  try {
    const calibration = await loadCalibration(o.manifestPath);
    const { score, sha256 } = await askHosted(o.manifest, o.token, o.file);
    mustFit(calibration, sha256, o.manifestPath);
    return withModel(result, { model: o.manifest, calibration }, score);
  } catch (fault) {
    if (!(fault instanceof ModelFault)) throw fault;
    return withFault(result, fault.message);
  }
}
