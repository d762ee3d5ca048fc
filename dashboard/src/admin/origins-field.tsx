import { isWebOrigin } from '@firsthand/contract/base/web-url.ts';
import { useId } from 'react';
import { useWords } from '../base/language.tsx';

/** Reads one origin a line. An address that was pasted whole becomes its origin; `wrong` holds the lines that name none. */
export function originsIn(text: string): { origins: string[]; wrong: string[] } {
  const lines = text.split(/[\s,]+/).filter(Boolean);
  const read = lines.map(line => {
    const address = line.includes('://') ? line : `https://${line}`;
    const origin = URL.canParse(address) ? new URL(address).origin : '';
    return { line, origin: isWebOrigin(origin) ? origin : undefined };
  });
  return {
    origins: [...new Set(read.flatMap(({ origin }) => origin ?? []))],
    wrong: read.flatMap(({ line, origin }) => (origin === undefined ? [line] : [])),
  };
}

type Props = { label: string; hint?: string; value: string; onChange: (value: string) => void; wrong: string[] };

/** Several origins, one a line. */
export function OriginsField({ label, hint, value, onChange, wrong }: Props) {
  const { t } = useWords();
  const id = useId();
  const fault = wrong.length > 0 ? t('origins.fault', { what: wrong.join(', ') }) : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input"
        rows={Math.min(8, Math.max(2, value.split('\n').length))}
        value={value}
        onChange={event => onChange(event.target.value)}
        placeholder="https://claims.example.com"
        spellCheck={false}
        autoCapitalize="none"
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-hint`}
      />
      <span id={`${id}-hint`} className={fault ? 'fault' : 'hint'}>
        {fault ?? hint ?? t('origins.hint')}
      </span>
    </div>
  );
}
