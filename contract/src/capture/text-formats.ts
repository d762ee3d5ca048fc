/** What a text answer may hold, by the format that its step names. Letters and digits are those of every script: `TÜ-AB 123`. */
export const TEXT_FORMATS = {
  free_text: null,
  numeric_id: { pattern: /^[0-9]+$/, message: 'must hold digits only' },
  alphanumeric_id: { pattern: /^[\p{L}0-9-]+$/u, message: 'must hold letters, digits and hyphens only' },
} as const satisfies Record<string, { pattern: RegExp; message: string } | null>;

export type TextFormat = keyof typeof TEXT_FORMATS;
export const TEXT_FORMAT_NAMES = Object.keys(TEXT_FORMATS) as TextFormat[];
