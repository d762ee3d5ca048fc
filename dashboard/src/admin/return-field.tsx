import { URL_MAX } from '@firsthand/contract/base/limits.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useWords } from '../base/language.tsx';
import { Field } from '../base/parts/field.tsx';

interface ReturnFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Why the service refused what was sent last. */
  error: unknown;
}

/** Where the capture page leads back to. */
export function ReturnField({ value, onChange, error }: ReturnFieldProps) {
  const { t } = useWords();
  const isRefused = error instanceof ApiError && error.fields.some(({ path }) => path === 'return_url');
  return (
    <Field
      label={t('return.label')}
      hint={t('return.hint')}
      value={value}
      onChange={onChange}
      fault={isRefused ? t('return.fault') : undefined}
      maxLength={URL_MAX}
      input={{ inputMode: 'url' }}
    />
  );
}
