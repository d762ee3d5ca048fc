import type { ComponentProps, ReactNode } from 'react';

interface SelectFieldProps<Value extends string | number> extends ComponentProps<'select'> {
  label: string;
  options: readonly (readonly [value: Value, name: string])[];
  /** As low as a line of filters; only screen readers hear its label. */
  slim?: boolean;
  /** More classes. */
  look?: string;
  /** Stands below it. */
  hint?: ReactNode;
  /** Gets the value that was chosen, as its text. */
  onChosen?: (value: string) => void;
}

/** One of several values, in the browser's own field. */
export const SelectField = <Value extends string | number>({
  label,
  options,
  slim = false,
  look = '',
  hint,
  onChosen,
  ...props
}: SelectFieldProps<Value>) => (
  <label className={slim ? 'queue' : `field ${look}`}>
    <span className={slim ? 'unseen' : 'label'}>{label}</span>
    <select className="input" onChange={event => onChosen?.(event.target.value)} {...props}>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
    {hint !== undefined && <span className="soft small">{hint}</span>}
  </label>
);
