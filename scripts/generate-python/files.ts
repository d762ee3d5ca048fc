// The Python package's types, resources and errors, made from the OpenAPI document; its client without `async`, made from
// the one with it; and its licence.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../generate-sdk/operations.ts';
import { resourcesModule } from './resources.ts';
import { HEAD } from './text.ts';
import { typesModule } from './types.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PACKAGE = 'python/src/firsthand';

/** What differs between code with and without `async`, in the order of replacement. */
const WITHOUT_ASYNC: readonly [RegExp, string][] = [
  [/^import asyncio\n/gm, ''],
  [/asyncio\.sleep/g, 'time.sleep'],
  [/, with asyncio/g, ''],
  [/Awaitable\[(\w+)\]/g, '$1'],
  [/\bAwaitable, /g, ''],
  [/AsyncGenerator\[(\w+), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\basync (?=def|for|with)/g, ''],
  [/\bawait /g, ''],
  [/__a(iter|enter|exit)__/g, '__$1__'],
  [/\ba(closing|close|iter_bytes|read)\b/g, '$1'],
];

const withoutAsync = (text: string) =>
  WITHOUT_ASYNC.reduce(
    // biome-ignore lint/plugin: `$1` in the table above stands for what was found.
    (changed, [pattern, replacement]) => changed.replace(pattern, replacement),
    text,
  );

const handWritten = (file: string) => readFileSync(join(ROOT, PACKAGE, '_async', file), 'utf8');

const madeFrom = (file: string) =>
  `# Written by scripts/generate-python.ts from _async/${file}; do not edit.\n\n${withoutAsync(handWritten(file))}`;

const errors = `${HEAD}"""A class for each error code of the service."""

from ._errors import ApiError

${ERRORS.map(
  ({ name, status, code, meaning }) => `
class ${name}(ApiError):
    """${status} \`${code}\`. ${meaning}"""
`,
).join('\n')}

ERRORS: dict[str, type[ApiError]] = {
${ERRORS.map(({ code, name }) => `    "${code}": ${name},`).join('\n')}
}

__all__ = [
${ERRORS.map(({ name }) => `    "${name}",`).join('\n')}
]
`;

const resources = resourcesModule();

/** The generated files of the Python package, by their paths. */
export const PYTHON_FILES: Readonly<Record<string, string>> = {
  [`${PACKAGE}/types.py`]: typesModule(),
  [`${PACKAGE}/errors.py`]: errors,
  [`${PACKAGE}/_async/resources.py`]: HEAD + resources,
  [`${PACKAGE}/_sync/resources.py`]: HEAD + withoutAsync(resources),
  [`${PACKAGE}/_sync/transport.py`]: madeFrom('transport.py'),
  [`${PACKAGE}/_sync/client.py`]: madeFrom('client.py'),
  'python/LICENSE': readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
};
