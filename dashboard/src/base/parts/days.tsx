import { useWords } from '../language.tsx';

/** The days that a range begins and ends with, as date inputs have them; empty: open. */
interface DayRange {
  from: string;
  to: string;
}

interface DaysProps {
  label: string;
  range: DayRange;
  onChange: (range: DayRange) => void;
}

/** Two days to choose. */
export function Days({ label, range, onChange }: DaysProps) {
  const { t } = useWords();
  return (
    <fieldset className="days">
      <legend className="unseen">{label}</legend>
      {(['from', 'to'] as const).map(end => (
        <label key={end}>
          <span>{t(`days.${end}`)}</span>
          <input
            type="date"
            className="input"
            value={range[end]}
            onChange={event => onChange({ ...range, [end]: event.target.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}
