import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { Press } from './parts.tsx';
import { Sheet } from './sheet.tsx';

type Props = { url: string | undefined };

/** What a photo of the step should look like, as the company that asked shows it. Nothing where it shows nothing. */
export function Example({ url }: Props): JSX.Element | null {
  const { t } = usePage();
  const [gone, setGone] = useState(false);
  const caption = useCaption();
  if (url === undefined || gone) return null;
  return (
    <figure class="example">
      <img src={url} alt={t('example.alt')} onError={() => setGone(true)} />
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

/** The same beside the live picture: small, and larger on a touch. */
export function SmallExample({ url }: Props): JSX.Element | null {
  const { t } = usePage();
  const [gone, setGone] = useState(false);
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const caption = useCaption();
  useEffect(() => (open ? () => button.current?.focus() : undefined), [open]);
  if (url === undefined || gone) return null;
  return (
    <>
      <button ref={button} type="button" class="example-open" onClick={() => setOpen(true)}>
        <img src={url} alt={t('example.alt')} onError={() => setGone(true)} />
        <span aria-hidden="true">{t('example.label')}</span>
      </button>
      {open && (
        <Sheet title={caption} onClose={() => setOpen(false)}>
          <div class="example">
            <img src={url} alt={t('example.alt')} />
          </div>
          <Press onClick={() => setOpen(false)}>{t('example.close')}</Press>
        </Sheet>
      )}
    </>
  );
}

function useCaption(): string {
  const { t, brand } = usePage();
  return brand ? t('example.from', { name: brand.name }) : t('example.fromPlain');
}
