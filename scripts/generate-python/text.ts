// Python's texts.

export const HEAD = '# Written by scripts/generate.ts from the OpenAPI document; do not edit.\n\n';

/** A docstring of whole lines. */
export function docstring(text: string, indent: string): string {
  const lines = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").split('\n');
  const last = lines.at(-1)!.endsWith('"') ? ' ' : '';
  return lines.length === 1
    ? `${indent}"""${lines[0]}${last}"""\n`
    : `${indent}"""${lines.map((line, at) => (at === 0 ? line : `${indent}${line}`.trimEnd())).join('\n')}\n${indent}"""\n`;
}

/** `waitForVerdict` as `wait_for_verdict`. */
export const snake = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);
export const isKeyword = (name: string) => KEYWORDS.has(name);
export const isIdentifier = (name: string) => /^[A-Za-z_]\w*$/.test(name) && !isKeyword(name);
