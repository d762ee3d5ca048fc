import type { MetadataField } from '../files/metadata/fields.ts';
import { sourceKind } from './source-type.ts';

/** A field that says a generator made the picture, or a part of it. */
export interface GeneratorMark {
  kind: 'generated' | 'composite';
  generator: string;
  source: string;
  field: string;
  value: string;
  /** `declared`: a vocabulary term or a whole parameter set; `named`: only a generator's name in a field for names. */
  strength: 'declared' | 'named';
}

type Mark = Pick<GeneratorMark, 'kind' | 'generator' | 'strength'>;

interface Rule {
  source: MetadataField['source'] | 'any';
  name: RegExp;
  read(value: string): Mark | undefined;
}

const generated = (generator: string, strength: Mark['strength'] = 'declared'): Mark => ({
  kind: 'generated',
  generator,
  strength,
});
const composite = (generator: string, strength: Mark['strength'] = 'declared'): Mark => ({
  kind: 'composite',
  generator,
  strength,
});

/** Longer JSON is not parsed. Generators' workflows are much shorter. */
const MAX_JSON = 1024 * 1024;

function json(value: string): Record<string, unknown> | undefined {
  const start = value.trimStart();
  if (!start.startsWith('{') || value.length > MAX_JSON) return undefined;
  try {
    const parsed: unknown = JSON.parse(start.replaceAll(/\bNaN\b/g, 'null'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The last line of the text that AUTOMATIC1111, Forge, SD.Next, Civitai and similar programs write: `Steps: 20, Sampler: Euler a, …`. */
function infotext(value: string): Mark | undefined {
  const line = value.split('\n').findLast(part => /^\s*(Steps|Sampler|Seed|CFG scale|Size): [^,]+,/.test(part));
  if (!line) return undefined;
  const keys = new Set([...line.matchAll(/(?:^|, )\s*([A-Z][A-Za-z ]{1,40}): /g)].map(match => match[1]!.trim()));
  const known = ['Steps', 'Sampler', 'CFG scale', 'Seed', 'Size', 'Model', 'Model hash', 'Version'].filter(key =>
    keys.has(key),
  );
  if (known.length < 3 || !(keys.has('Steps') || keys.has('Seed'))) return undefined;
  if (/\bApp: SD\.?Next/i.test(line)) return generated('SD.Next');
  if (/\bVersion: f\d/.test(line)) return generated('Stable Diffusion WebUI Forge');
  if (/\bVersion: Fooocus/i.test(line)) return generated('Fooocus');
  if (/Civitai/i.test(line)) return generated('Civitai');
  return generated('Stable Diffusion WebUI');
}

/** ComfyUI's `prompt` maps node ids to `{class_type, inputs}`. */
function comfyPrompt(value: string): Mark | undefined {
  const nodes = json(value);
  if (!nodes) return undefined;
  const classes = Object.values(nodes).filter(
    node => typeof node === 'object' && node !== null && 'class_type' in node && 'inputs' in node,
  );
  return classes.length > 0 ? generated('ComfyUI') : undefined;
}

/** ComfyUI's `workflow` is the saved graph: nodes with a type, and links. */
function comfyWorkflow(value: string): Mark | undefined {
  const graph = json(value);
  const nodes = graph?.nodes;
  if (!Array.isArray(nodes) || !('links' in graph!)) return undefined;
  return nodes.some(node => typeof (node as { type?: unknown } | null)?.type === 'string')
    ? generated('ComfyUI')
    : undefined;
}

const hasKeys = (value: Record<string, unknown> | undefined, ...keys: string[]): boolean =>
  value !== undefined && keys.every(key => key in value);

/** Parameter sets written as JSON objects. Each program is recognised by its keys. */
function jsonParameters(value: string): Mark | undefined {
  const data = json(value);
  if (!data) return undefined;
  if (hasKeys(data, 'sui_image_params')) return generated('SwarmUI');
  if (typeof data.AIGC === 'object' && data.AIGC !== null) return aigcLabel(data.AIGC as Record<string, unknown>);
  if (hasKeys(data, 'Label', 'ContentProducer')) return aigcLabel(data);
  if (hasKeys(data, 'metadata_scheme') || hasKeys(data, 'base_model', 'sampler', 'steps', 'seed'))
    return generated('Fooocus');
  if (hasKeys(data, 'positive_prompt', 'seed') || hasKeys(data, 'app_version', 'generation_mode'))
    return generated('InvokeAI');
  if (hasKeys(data, 'model_weights', 'image') || hasKeys(data, 'app_id', 'model_hash')) return generated('InvokeAI');
  if (hasKeys(data, 'models', 'prompt', 'steps') || hasKeys(data, 'c', 'uc', 'seed', 'steps'))
    return generated('Draw Things');
  if (hasKeys(data, 'extraMetadata') || hasKeys(data, 'extra', 'resource-stack')) return generated('Civitai');
  if (
    hasKeys(data, 'prompt', 'seed') &&
    (hasKeys(data, 'steps') || hasKeys(data, 'num_inference_steps') || hasKeys(data, 'sampler'))
  )
    return generated('diffusion model');
  if (hasKeys(data, 'steps', 'sampler', 'seed')) return generated('diffusion model');
  return undefined;
}

/** GB 45438-2025: label 1 made by AI, 2 possibly, 3 suspected. Only the first counts as declared. */
function aigcLabel(data: Record<string, unknown>): Mark | undefined {
  return String(data.Label) === '1' ? generated('AIGC label') : undefined;
}

/** InvokeAI 1.x wrote its command line: `"a cat" -s 50 -S 123 -W 512 -H 512 -C 7.5 -A k_lms`. */
function dreamCommand(value: string): Mark | undefined {
  const flags = new Set([...value.matchAll(/\s-([sSWHCA])\s?[\w.]+/g)].map(match => match[1]));
  return flags.has('S') && flags.size >= 3 ? generated('InvokeAI') : undefined;
}

/** A Midjourney description ends in its parameters and the job's id. */
function midjourneyPrompt(value: string): Mark | undefined {
  const job = /\bJob ID: [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i.test(value);
  const parameters = /(^|\s)--(v|ar|niji|stylize|seed|q|chaos|style|raw|sref|profile|quality) ?[\w.:-]*/.test(value);
  return job || (parameters && /--(v|niji) ?\d/.test(value)) ? generated('Midjourney') : undefined;
}

/** Generator names, matched at the start of a field that holds a program name. */
const PROGRAMS: [RegExp, Mark][] = [
  [/^NovelAI\b/, generated('NovelAI', 'named')],
  [/^(Stable Diffusion|AUTOMATIC1111|stable-diffusion-webui)\b/i, generated('Stable Diffusion', 'named')],
  [
    /^(ComfyUI|SwarmUI|StableSwarmUI|InvokeAI|Fooocus|RuinedFooocus|SD\.?Next|Draw Things|Easy Diffusion|DiffusionBee)\b/i,
    generated('diffusion program', 'named'),
  ],
  [/^Midjourney\b/i, generated('Midjourney', 'named')],
  [/^(OpenAI\b|DALL[·.\- ]?E\b|ChatGPT\b|GPT-4o\b|gpt-image)/i, generated('OpenAI', 'named')],
  [/^Adobe Firefly\b/i, generated('Adobe Firefly', 'named')],
  [/^(Imagen|Gemini|Google (Imagen|Gemini|AI))\b/, generated('Google AI', 'named')],
  [/^(Bing Image Creator|Microsoft Designer Image Creator)\b/i, generated('Microsoft', 'named')],
  [
    /^(Ideogram|Leonardo\.Ai|Flux|Black Forest Labs|Stability AI|Recraft|Krea|Grok)( |$|\.|\/)/i,
    generated('generator', 'named'),
  ],
  [/^(Apple )?Image Playground\b/, generated('Apple Image Playground', 'named')],
];

/** Credit lines that large platforms write on pictures that their models generated or changed (composite). */
const CREDITS: [RegExp, Mark][] = [
  [/^(Made|Created|Generated) with Google AI$/i, generated('Google AI')],
  [/^Edited with Google AI$/i, composite('Google AI')],
  [/^(Imagined with (Meta )?AI|Made with Meta AI)$/i, generated('Meta AI')],
  [/^(Apple )?Image Playground$/i, generated('Apple Image Playground')],
  [/^Apple Photos Clean Up$/i, composite('Apple Photos Clean Up')],
  [/^Adobe Firefly$/i, generated('Adobe Firefly', 'named')],
  [/^Midjourney$/i, generated('Midjourney', 'named')],
];

const first = (table: [RegExp, Mark][]) => (value: string) =>
  table.find(([pattern]) => pattern.test(value.trim()))?.[1];

function digitalSource(value: string): Mark | undefined {
  const source = sourceKind(value);
  if (source?.kind === 'generated') return generated('digital source type');
  return source?.kind === 'composite' ? composite('digital source type') : undefined;
}

const anyParameters = (value: string): Mark | undefined =>
  infotext(value) ?? comfyPrompt(value) ?? comfyWorkflow(value) ?? jsonParameters(value);

/** ComfyUI's WebP nodes put `prompt:{…}` and `workflow:{…}` into the EXIF tags for the camera's name. */
const prefixed = (value: string): Mark | undefined => {
  const body = value.match(/^(?:prompt|workflow):\s*(\{.*)$/is)?.[1];
  return body ? (comfyPrompt(body) ?? comfyWorkflow(body)) : undefined;
};

const RULES: Rule[] = [
  { source: 'any', name: /(^|:)DigitalSourceType$/i, read: digitalSource },
  { source: 'png', name: /^parameters$/i, read: anyParameters },
  { source: 'png', name: /^prompt$/, read: value => comfyPrompt(value) ?? jsonParameters(value) },
  { source: 'png', name: /^workflow$/, read: comfyWorkflow },
  {
    source: 'png',
    name: /^(invokeai_metadata|sd-metadata)$/,
    read: value => jsonParameters(value) ?? (json(value) && generated('InvokeAI')),
  },
  {
    source: 'png',
    name: /^invokeai_(graph|workflow)$/,
    read: value => (json(value) ? generated('InvokeAI') : undefined),
  },
  { source: 'png', name: /^Dream$/, read: dreamCommand },
  {
    source: 'png',
    name: /^(fooocus_scheme)$/,
    read: value => (/^(fooocus|a1111)$/i.test(value) ? generated('Fooocus') : undefined),
  },
  { source: 'png', name: /^(Comment|generation_data|Generation time|sui_image_params)$/, read: jsonParameters },
  {
    source: 'png',
    name: /^use_stable_diffusion_model$/,
    read: value => (value ? generated('Easy Diffusion') : undefined),
  },
  { source: 'any', name: /(^|:)AIGC$/, read: jsonParameters },
  {
    source: 'png',
    name: /^Title$/,
    read: value => (/^(NovelAI generated image|AI generated image)$/.test(value) ? generated('NovelAI') : undefined),
  },
  { source: 'png', name: /^(Description|Comment)$/, read: midjourneyPrompt },
  { source: 'png', name: /^(Software|Source)$/, read: first(PROGRAMS) },
  {
    source: 'exif',
    name: /^(UserComment|ImageDescription|XPComment)$/,
    read: value => anyParameters(value) ?? midjourneyPrompt(value),
  },
  { source: 'exif', name: /^(Make|Model|ImageDescription|UserComment)$/, read: prefixed },
  { source: 'exif', name: /^Software$/, read: value => first(PROGRAMS)(value) ?? infotext(value) },
  { source: 'xmp', name: /^xmp:CreatorTool$/, read: first(PROGRAMS) },
  {
    source: 'xmp',
    name: /^(exif:UserComment|dc:description)(\[\d+\])?$/,
    read: value => anyParameters(value) ?? midjourneyPrompt(value),
  },
  { source: 'xmp', name: /^photoshop:Credit$/, read: first(CREDITS) },
  { source: 'xmp', name: /^photoshop:Source$/, read: first(CREDITS) },
  {
    source: 'iptc',
    name: /^(Credit|Source|Caption\/Abstract|Writer\/Editor)$/,
    read: value => first(CREDITS)(value) ?? midjourneyPrompt(value),
  },
];

/** Returns every field that names or declares a generator. Parses each program's own format instead of searching for words. */
export function generatorMarks(fields: readonly MetadataField[]): GeneratorMark[] {
  const marks: GeneratorMark[] = [];
  for (const { source, name, value } of fields) {
    for (const rule of RULES) {
      if ((rule.source !== 'any' && rule.source !== source) || !rule.name.test(name)) continue;
      const mark = rule.read(value);
      if (!mark) continue;
      marks.push({ ...mark, source, field: name, value: excerpt(value, mark.generator) });
      break;
    }
  }
  return marks;
}

function excerpt(value: string, generator: string): string {
  const line = value.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 160 ? line : `${generator}: ${line.slice(0, 160)}…`;
}
