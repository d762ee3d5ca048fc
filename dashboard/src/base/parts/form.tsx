import type { FormEvent, ReactNode } from 'react';
import { useWords } from '../language.tsx';
import { Button } from './button.tsx';
import { CurlMenu, type NamedRequest } from './curl-menu.tsx';
import { Problem } from './states.tsx';

interface FormProps {
  /** The words on the button that sends it. */
  label: string;
  sending?: { isPending: boolean; error: unknown };
  /** Where the service's refusal stands beside a field: what to say of it above the button. */
  error?: unknown;
  requests?: readonly NamedRequest[];
  look?: string;
  onSubmit: (event: FormEvent) => void;
  onCancel?: () => void;
  children: ReactNode;
}

/** A form whose last line sends it. It says why sending failed. */
export function Form({ label, sending, requests = [], look = 'stack', onSubmit, onCancel, children, ...o }: FormProps) {
  const { t } = useWords();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(event);
  };
  return (
    <form className={look} noValidate onSubmit={submit}>
      {children}
      <Problem error={'error' in o ? o.error : sending?.error} />
      <div className="actions">
        <CurlMenu requests={requests} />
        {onCancel && <Button onPress={onCancel}>{t('common.cancel')}</Button>}
        <Button weight="main" type="submit" busy={sending?.isPending ?? false}>
          {label}
        </Button>
      </div>
    </form>
  );
}
