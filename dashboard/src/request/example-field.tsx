import { EXAMPLE_PICTURE_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useState } from 'react';
import { base64Of } from '../base/api/base64-of.ts';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { useAction } from '../entry/session/recent.ts';

interface ExampleFieldProps {
  /** Of the step, from 1. */
  n: number;
  /** The picture's SHA-256; empty for none. */
  value: string;
  /** What the service says of it. */
  fault: string | undefined;
  onChange: (sha256: string) => void;
}

/** The picture that shows people what this photo should look like. It is stored as soon as it is chosen. */
export function ExampleField({ n, value, fault, onChange }: ExampleFieldProps) {
  const { t } = useWords();
  const [wrong, setWrong] = useState<string>();
  const add = useAction(
    async (file: File) => call('POST /v1/example-pictures', { body: { image_base64: await base64Of(file) } }),
    {
      onDone: ({ sha256 }) => onChange(sha256),
    },
  );
  const take = (file: File | undefined) => {
    if (!file) return;
    const tooLarge = file.size > EXAMPLE_PICTURE_MAX_BYTES;
    setWrong(tooLarge ? t('step.exampleTooLarge', { n: EXAMPLE_PICTURE_MAX_BYTES / 1_048_576 }) : undefined);
    if (tooLarge) return;
    add.mutate(file, {
      onError: error => {
        if (error instanceof ApiError && error.code === 'invalid_request') setWrong(t('picture.fault'));
      },
    });
  };
  const said = wrong ?? fault;
  if (value && fault === undefined) {
    return (
      <div className="field">
        <span className="label">{t('step.example')}</span>
        <div className="example-picture">
          <img src={`${ROOT}/example-pictures/${value}.jpg`} alt={t('step.exampleAlt', { n })} />
          <Button weight="plain" slim aria-label={t('step.removeExampleOf', { n })} onPress={() => onChange('')}>
            {t('step.removeExample')}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <label className="field">
      <span className="label">{t('step.example')}</span>
      <input
        type="file"
        accept="image/png,image/jpeg,image/webp"
        className="input"
        disabled={add.isPending}
        onChange={event => take(event.target.files?.[0])}
      />
      <span className="hint">{t('step.exampleHint')}</span>
      {said && <span className="fault">{said}</span>}
    </label>
  );
}
