/** One line of `firsthand doctor`. */
export interface Finding {
  state: 'ok' | 'missing' | 'wrong';
  what: string;
  /** What to do about it. */
  advice?: string;
}
