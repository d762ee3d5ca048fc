import { Registry } from 'prom-client';
import sharp from 'sharp';
import { type Finding, NO_MODEL, textFinding } from '../desk/system/findings.ts';
import { askAboutSubject } from '../inspection/checks/subject.ts';
import type { Config } from '../platform/config/config.ts';
import { createLog } from '../platform/lib/log.ts';
import type { NoAnswer } from '../platform/vision/client.ts';
import { connectVision } from '../platform/vision/connect.ts';

const ADVICE: Readonly<Record<NoAnswer, string>> = {
  timeout:
    'It took too long. Use a smaller model, send smaller pictures (VISION_IMAGE_SIDE), or raise VISION_TIMEOUT_SECONDS.',
  refused: 'It declined a simple question. Use another model.',
  wrong_answer: 'Its answers do not follow the schema. Try VISION_RESPONSE_FORMAT=json_schema, or another model.',
  rate_limited: "It limits the request rate. Check your account's plan, or lower VISION_CONCURRENCY.",
  unreachable: 'No server answers there. Check that it is running and that the URL ends in /v1.',
  rejected:
    'It rejects the request. Check VISION_API_KEY and VISION_MODEL, then try VISION_RESPONSE_FORMAT=json_object or none, ' +
    'VISION_MAX_TOKENS_FIELD=max_completion_tokens and VISION_TEMPERATURE=omit.',
  resting: 'It failed several times in a row, so Firsthand stopped asking for a while.',
};

/** Asks the configured model one real question, about a red square, and checks that Tesseract is installed. */
export async function visionFindings(config: Pick<Config, 'vision' | 'tesseract'>): Promise<Finding[]> {
  return [await modelFinding(config), await textFinding(config)];
}

async function modelFinding({ vision: settings }: Pick<Config, 'vision'>): Promise<Finding> {
  const part = 'vision_model';
  if (!settings) return { part, state: 'missing', what: 'Vision model: not configured', advice: NO_MODEL };
  let reason: NoAnswer = 'unreachable';
  const log = createLog('warn', {
    write: line => {
      reason = (JSON.parse(line) as { reason?: NoAnswer }).reason ?? reason;
    },
  });
  const vision = connectVision({ ...settings, answerBudgetMs: 60_000 }, new Registry(), log);
  const what = `Vision model ${settings.model} at ${settings.baseUrl}`;
  const square = { create: { width: 256, height: 256, channels: 3, background: '#c82828' } } as const;
  const started = performance.now();
  const { object, answered } = await askAboutSubject(
    vision,
    { expectedObject: 'a red square', conditionAspects: undefined },
    [await sharp(square).jpeg().toBuffer()],
    { account: 'operator' },
  );
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (!answered) return { part, state: 'wrong', what, advice: ADVICE[reason] };
  if (object?.status === 'match') return { part, state: 'ok', what: `${what} (answers in ${seconds} s)` };
  return {
    part,
    state: 'wrong',
    what,
    advice: 'It answers, but does not recognise a red square. Check that the model accepts pictures.',
  };
}
