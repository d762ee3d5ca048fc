interface Described {
  description: string;
  descriptions?: Readonly<Record<string, string>>;
}

/**
 * What a step asks for, in the first of the languages that has a text: exactly this tag, then the same language less precisely
 * (`de` for `de-AT`), then in another region (`pt-PT` for `pt-BR`). An empty text is none; without any it is `description`.
 */
export function descriptionIn({ description, descriptions = {} }: Described, tags: readonly string[]): string {
  const texts = new Map(
    Object.entries(descriptions)
      .filter(([, text]) => text.trim() !== '')
      .map(([tag, text]) => [tag.toLowerCase(), text]),
  );
  for (const tag of tags) {
    const parts = tag.toLowerCase().split('-');
    for (let n = parts.length; n > 0; n -= 1) {
      const text = texts.get(parts.slice(0, n).join('-'));
      if (text !== undefined) return text;
    }
    for (const [other, text] of texts) if (other.split('-')[0] === parts[0]) return text;
  }
  return description;
}
