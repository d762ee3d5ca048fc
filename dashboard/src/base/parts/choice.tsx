interface ChoiceProps<Value extends string> {
  /** The field's, unique in its form. */
  name: string;
  label: string;
  values: readonly Value[];
  nameOf: (value: Value) => string;
  chosen: Value;
  onChange: (value: Value) => void;
  look?: string;
  hideLabel?: boolean;
}

/** One of a few values, all of them in sight. */
export const Choice = <Value extends string>({
  name,
  label,
  values,
  nameOf,
  chosen,
  onChange,
  ...o
}: ChoiceProps<Value>) => (
  <fieldset className={o.look ?? 'stack'}>
    <legend className={o.hideLabel ? 'unseen' : 'label'}>{label}</legend>
    {values.map(value => (
      <label key={value} className="switch">
        <input type="radio" name={name} checked={chosen === value} onChange={() => onChange(value)} />
        <span>{nameOf(value)}</span>
      </label>
    ))}
  </fieldset>
);

interface SwitchProps {
  label: string;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

/** Yes or no. */
export const Switch = ({ label, on, disabled = false, onChange }: SwitchProps) => (
  <label className="switch">
    <input type="checkbox" checked={on} disabled={disabled} onChange={event => onChange(event.target.checked)} />
    <span>{label}</span>
  </label>
);
