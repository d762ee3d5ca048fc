import type { Ref } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input, type InputProps } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';

type FieldProps = Omit<TextFieldProps, 'className' | 'children' | 'isInvalid'> & {
  label: string;
  hint?: string;
  /** The fault of what was typed, in words. */
  fault?: string | undefined;
  input?: InputProps;
  inputRef?: Ref<HTMLInputElement>;
};

/** One line to type, with its label, its hint and its fault. */
export const Field = ({ label, hint, fault, input, inputRef, ...props }: FieldProps) => (
  <TextField {...props} className="field" isInvalid={fault !== undefined} validationBehavior="aria">
    <Label>{label}</Label>
    <Input className="input" {...input} ref={inputRef} />
    {hint !== undefined && fault === undefined && (
      <Text slot="description" className="hint">
        {hint}
      </Text>
    )}
    <FieldError className="fault">{fault}</FieldError>
  </TextField>
);
