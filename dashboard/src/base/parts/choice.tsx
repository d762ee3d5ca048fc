interface ChoiceProps<Value extends string> {
  /** The field's, unique in its form. */
  name: string;
  label: string;
  values: readonly Value[];
  nameOf: (value: Value) => string;
  chosen: Value;
  onChange: (value: Value) => void;
}

/** One of a few values, all of them in sight. */
export function Choice<Value extends string>({ name, label, values, nameOf, chosen, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="stack">
      <legend className="label">{label}</legend>
      {values.map(value => (
        <label key={value} className="switch">
          <input type="radio" name={name} checked={chosen === value} onChange={() => onChange(value)} />
          <span>{nameOf(value)}</span>
        </label>
      ))}
    </fieldset>
  );
}
