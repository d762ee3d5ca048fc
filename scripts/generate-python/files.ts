// The Python package's types, errors and resources with `async`, made from the OpenAPI document.
// python/hatch_build.py makes the client without `async`.
import { ERRORS } from '../generate-sdk/operations.ts';
import { resourcesModule } from './resources.ts';
import { HEAD } from './text.ts';
import { typesModule } from './types.ts';

const PACKAGE = 'python/src/firsthand';

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

/** The generated files of the Python package, by their paths. */
export const PYTHON_FILES: Readonly<Record<string, string>> = {
  [`${PACKAGE}/types.py`]: typesModule(),
  [`${PACKAGE}/errors.py`]: errors,
  [`${PACKAGE}/_async/resources.py`]: HEAD + resourcesModule(),
};
