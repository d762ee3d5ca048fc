import type { Word } from './tesseract.ts';

/**
 * Patterns of the kinds of text. `ocr_type` is free text; an unknown kind takes the longest line that was read with
 * confidence.
 */
const KINDS: Readonly<Record<string, RegExp>> = {
  odometer: /^\d{1,3}(?:[., ]?\d{3})+$|^\d{2,7}$/,
  mileage: /^\d{1,3}(?:[., ]?\d{3})+$|^\d{2,7}$/,
  meter_reading: /^\d{3,9}(?:[.,]\d{1,3})?$/,
  serial_number: /^(?=.*\d)[A-Z0-9][A-Z0-9\-/.]{4,29}$/,
  serial_plate: /^(?=.*\d)[A-Z0-9][A-Z0-9\-/.]{4,29}$/,
  document_number: /^(?=.*\d)[A-Z0-9][A-Z0-9<-]{4,19}$/,
  licence_plate: /^(?=.*\d)(?=.*[A-Z])[A-Z0-9][A-Z0-9 \-·]{2,11}$/,
  license_plate: /^(?=.*\d)(?=.*[A-Z])[A-Z0-9][A-Z0-9 \-·]{2,11}$/,
  vin: /^[A-HJ-NPR-Z0-9]{17}$/,
};

export interface Candidate {
  value: string;
  /** 0..1. */
  confidence: number;
}

const kindOf = (ocrType: string): RegExp | undefined => {
  const name = ocrType
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
};

/** Words by line, joined. */
function linesOf(words: readonly Word[]): Word[] {
  return [...Map.groupBy(words, word => word.line).values()].map(line => ({
    text: line.map(word => word.text).join(' '),
    confidence: Math.min(...line.map(word => word.confidence)),
    line: line[0]!.line,
  }));
}

/** Returns at most five candidates for the requested text, surest first. */
export function candidates(words: readonly Word[], ocrType: string): Candidate[] {
  const kind = kindOf(ocrType);
  const lines = linesOf(words);
  const pool = kind ? [...lines, ...words] : lines;
  const fitting = pool
    .map(({ text, confidence }) => ({ value: text.trim(), confidence: confidence / 100 }))
    .filter(({ value, confidence }) => confidence >= 0.3 && (kind ? kind.test(value.toUpperCase()) : value.length > 1));
  const rank = ({ value, confidence }: Candidate) => confidence * Math.min(1, value.length / 6);
  const seen = new Set<string>();
  return fitting
    .toSorted((a, b) => rank(b) - rank(a))
    .filter(({ value }) => !seen.has(value) && seen.add(value))
    .slice(0, 5);
}
