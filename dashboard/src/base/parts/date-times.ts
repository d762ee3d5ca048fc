import { useMemo } from 'react';
import { useWords } from '../language.tsx';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const WEEK_MS = 7 * 86_400_000;

/** Times as a person says them: `5 minutes ago` within a week, else the date; spans in their two largest units. */
export function useMoments() {
  const { language } = useWords();
  return useMemo(() => {
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
    const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
    const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
    const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
    const unit = (value: number, name: string) =>
      new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(value);
    return {
      ago(iso: string): string {
        const ms = Date.parse(iso) - Date.now();
        if (Math.abs(ms) > WEEK_MS) return date.format(new Date(iso));
        const [name, size] = UNITS.find(([, least]) => Math.abs(ms) >= least) ?? UNITS[3];
        return relative.format(Math.trunc(ms / size), name);
      },
      exactly: (iso: string): string => exact.format(new Date(iso)),
      clock: (iso: string): string => clock.format(new Date(iso)),
      span(ms: number): string {
        // Two nodes' clocks differ a little: nothing took less than no time.
        if (ms < 10_000) return unit(Math.max(0, Math.round(ms / 100)) / 10, 'second');
        const from = UNITS.findIndex(([, least]) => ms >= least);
        const [name, size] = UNITS[from]!;
        const rest = UNITS[from + 1];
        const whole = Math.floor(ms / size);
        const left = rest ? Math.floor((ms - whole * size) / rest[1]) : 0;
        return [unit(whole, name), ...(rest && left > 0 ? [unit(left, rest[0])] : [])].join(' ');
      },
    };
  }, [language]);
}
