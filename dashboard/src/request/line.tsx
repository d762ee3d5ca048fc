import { Controller, type FieldPath, type UseFormReturn } from 'react-hook-form';
import { Field } from '../base/parts/field.tsx';
import type { RequestValues } from './values.ts';

export type RequestForm = UseFormReturn<RequestValues>;

interface LineProps {
  form: RequestForm;
  name: FieldPath<RequestValues>;
  label: string;
  hint?: string;
  maxLength: number;
}

/** One line of the form, with the service's fault beside it. */
export function Line({ form, name, label, hint, maxLength }: LineProps) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { ref, value, ...field }, fieldState }) => (
        <Field
          {...field}
          value={String(value)}
          inputRef={ref}
          label={label}
          {...(hint === undefined ? {} : { hint })}
          fault={fieldState.error?.message}
          maxLength={maxLength}
        />
      )}
    />
  );
}
