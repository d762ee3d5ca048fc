// The operations as Python methods, with `async`.
import { capital, OPERATIONS, type Operation, SCHEMAS } from '../generate-sdk/operations.ts';
import { docstring, isKeyword, snake } from './text.ts';
import { typeOf } from './types.ts';

/** Resources with methods by hand: the client makes them. */
const EXTENDED = ['verifications', 'captures', 'webhooks', 'events'];
const OPTIONS = ['timeout', 'max_retries', 'idempotency_key', 'on_reconnect'];

/** Path parameters come first. What follows has names: the query, the options, and each member of the body. */
function methodOf({
  id,
  name,
  summary,
  verb,
  path,
  pathParameters,
  query,
  body,
  metadataFilter,
  answer,
}: Operation): string {
  const members = body && !body.text ? Object.keys((SCHEMAS[body.schema]!.properties ?? {}) as object) : [];
  const options = OPTIONS.filter(
    option => (option !== 'idempotency_key' || verb === 'POST') && (option !== 'on_reconnect' || answer.kind === 'e'),
  );
  const queries = query.map(parameter => ({
    ...parameter,
    // A name that Python keeps for itself gets a line below.
    argument: isKeyword(parameter.name) ? `${parameter.name}_` : parameter.name,
    type: typeOf(parameter.schema, 't.', 'Sequence'),
  }));
  const taken = [...pathParameters, ...queries.map(({ argument }) => argument), ...options, 'self'];
  const twice = members.find(member => taken.includes(member) || isKeyword(member));
  if (twice) throw new Error(`${id}: ${twice} of the body needs another name in Python`);

  const bodyType = body && `t.${body.schema}`;
  const positional = [
    ...pathParameters.map(parameter => `${parameter}: str`),
    ...(body?.text ? [`body: ${bodyType} | str`] : []),
  ];
  const named = [
    ...queries.map(({ argument, type, required }) =>
      required ? `${argument}: ${type}` : `${argument}: ${type} | None = None`,
    ),
    ...(metadataFilter ? ['metadata: Mapping[str, str] | None = None'] : []),
    ...options.map(option => `${option}: ${optionType(option)} | None = None`),
  ];
  const parameters = [
    'self',
    ...positional,
    '*',
    ...named,
    ...(members.length > 0 ? [`**body: Unpack[${bodyType}]`] : []),
  ];

  const given = [
    `"${verb}"`,
    pathParameters.length > 0
      ? `path_of("${path}", ${pathParameters.map(parameter => `${parameter}=${parameter}`).join(', ')})`
      : `"${path}"`,
    ...(query.length > 0
      ? [
          `query={${[...queries.map(one => `"${one.name}": ${one.argument}`), ...(metadataFilter ? ['"metadata": metadata'] : [])].join(', ')}}`,
        ]
      : []),
    ...(body?.text ? ['body=body'] : members.length > 0 ? [`body=body${body!.required ? '' : ' or None'}`] : []),
    ...options.filter(option => option !== 'on_reconnect').map(option => `${option}=${option}`),
  ];
  const call = `Call(\n            ${given.join(',\n            ')},\n        )`;
  const { returns, code } = answerOf(answer);
  const words = queries.filter(({ description }) => description);
  const described =
    words.length === 0
      ? summary
      : `${summary}\n\nArgs:\n${words.map(({ argument, description }) => `    ${argument}: ${description}`).join('\n')}`;
  const isAsync = answer.kind !== 'p' && answer.kind !== 'e';
  return `    ${isAsync ? 'async ' : ''}def ${snake(name)}(
        ${parameters.join(',\n        ')},
    ) -> ${returns}:
${docstring(described, '        ')}        call = ${call}
        ${code}
`;
}

function optionType(option: string): string {
  if (option === 'timeout') return 'float';
  if (option === 'max_retries') return 'int';
  return option === 'idempotency_key' ? 'str' : 'Callable[[FirsthandError], None]';
}

function answerOf({ kind, names, item, mayBeEmpty }: Operation['answer']): { returns: string; code: string } {
  if (kind === 'n') return { returns: 'None', code: 'await self._transport.nothing(call)' };
  if (kind === 'd') return { returns: 'AsyncDownload', code: 'return await self._transport.download(call)' };
  if (kind === 'e')
    return {
      returns: 'AsyncGenerator[ServerSentEvent, None]',
      code: 'return self._transport.events(call, on_reconnect)',
    };
  if (kind === 'p')
    return { returns: `AsyncList[t.${item}, t.${names[0]}]`, code: 'return self._transport.list(call)' };
  const type = [...names.map(name => `t.${name}`), ...(mayBeEmpty ? ['None'] : [])].join(' | ');
  return { returns: type, code: `return cast("${type}", await self._transport.json(call))` };
}

export function resourcesModule(): string {
  // Only a browser can follow these.
  const operations = OPERATIONS.filter(({ answer }) => !answer.redirects);
  const resources = Map.groupBy(operations, ({ resource }) => resource);
  const className = (resource: string) => `Async${capital(resource)}Resource`;
  const classes = [...resources].map(
    ([resource, members]) =>
      `class ${className(resource)}:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

${members.map(methodOf).join('\n')}`,
  );
  const plain = [...resources.keys()].filter(resource => !EXTENDED.includes(resource));
  return `from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

from .._core import Call, ServerSentEvent, path_of
from .._errors import FirsthandError
from .._typing import Unpack
from .transport import AsyncDownload, AsyncList, AsyncTransport

if TYPE_CHECKING:
    from .. import types as t


${classes.join('\n\n')}

class AsyncApi:
    """The resources without methods by hand."""

    def __init__(self, transport: AsyncTransport) -> None:
${plain.map(resource => `        self.${snake(resource)} = ${className(resource)}(transport)`).join('\n')}
`;
}
