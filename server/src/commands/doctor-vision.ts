import { Registry } from 'prom-client';
import sharp from 'sharp';
import { askAboutSubject } from '../checks/subject.ts';
import { tesseractVersion } from '../checks/tesseract.ts';
import type { Config } from '../config/config.ts';
import { createLog } from '../lib/log.ts';
import type { NoAnswer } from '../vision/client.ts';
import { connectVision } from '../vision/connect.ts';
import type { Finding } from './doctor-line.ts';

const NO_MODEL =
  'Without one, object_match is inconclusive, condition is absent, context never trips and case_analysis comes from the record ' +
  'alone. Set VISION_BASE_URL and VISION_MODEL (docs/vision.md has the lines for vLLM, Ollama and llama.cpp).';

const ADVICE: Readonly<Record<NoAnswer, string>> = {
  timeout: 'It took too long. Use a smaller model or picture (VISION_IMAGE_SIDE), or raise VISION_TIMEOUT_SECONDS.',
  refused: 'It declined a plain question; another model will do better.',
  wrong_answer: 'It does not keep to the form asked for. Try VISION_RESPONSE_FORMAT=json_schema, or another model.',
  rate_limited: 'It asks to slow down; see the plan of the account, or lower VISION_CONCURRENCY.',
  unreachable: 'Nothing answers there. Is the server running, and does the address end in /v1?',
  rejected:
    'It takes no such request. Look at VISION_API_KEY and VISION_MODEL, then try VISION_RESPONSE_FORMAT=json_object or none, ' +
    'VISION_MAX_TOKENS_FIELD=max_completion_tokens and VISION_TEMPERATURE=omit.',
  resting: 'It failed several times in a row.',
};

/** Asks the configured model one real question, about a red square, and looks for the text reader. */
export async function visionFindings(config: Pick<Config, 'vision' | 'tesseract'>): Promise<Finding[]> {
  return [await modelFinding(config), await textFinding(config)];
}

async function modelFinding({ vision: settings }: Pick<Config, 'vision'>): Promise<Finding> {
  if (!settings) return { state: 'missing', what: 'Vision model: not configured', advice: NO_MODEL };
  let reason: NoAnswer = 'unreachable';
  const log = createLog('warn', {
    write: line => {
      reason = (JSON.parse(line) as { reason?: NoAnswer }).reason ?? reason;
    },
  });
  const vision = connectVision({ ...settings, answerBudgetMs: 60_000 }, new Registry(), log)!;
  const what = `Vision model ${settings.model} at ${settings.baseUrl}`;
  const square = { create: { width: 256, height: 256, channels: 3, background: '#c82828' } } as const;
  const started = performance.now();
  const { object, answered } = await askAboutSubject(
    vision,
    { expectedObject: 'a red square', conditionAspects: undefined },
    [await sharp(square).jpeg().toBuffer()],
  );
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (!answered) return { state: 'wrong', what, advice: ADVICE[reason] };
  if (object?.status === 'match') return { state: 'ok', what: `${what} (answers in ${seconds} s)` };
  return {
    state: 'wrong',
    what,
    advice: 'It answers, but does not see a red square in one. Does the model take pictures?',
  };
}

async function textFinding({ tesseract }: Pick<Config, 'tesseract'>): Promise<Finding> {
  const version = await tesseractVersion(tesseract.command);
  if (version !== null) return { state: 'ok', what: `Tesseract ${version} (${tesseract.languages})` };
  return {
    state: 'missing',
    what: 'Tesseract: not found',
    advice:
      'Text for ocr_type is read by the vision model, if any. Install the package tesseract-ocr, or set TESSERACT to the program.',
  };
}
