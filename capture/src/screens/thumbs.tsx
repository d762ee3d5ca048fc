import { Icon } from '@firsthand/look/marks.tsx';
import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { useObjectUrl } from './review.tsx';

/** Thumbnail of a held picture. Formats the browser cannot show (HEIC) get an icon. */
export function Thumb(props: {
  capture: HeldCapture;
  alt: string;
  remove?: { label: string; run: () => void };
}): JSX.Element {
  const { capture, remove } = props;
  const blob = useMemo(() => new Blob([capture.bytes], { type: capture.contentType }), [capture.id]);
  const url = useObjectUrl(blob);
  const [undecodable, setUndecodable] = useState(false);
  return (
    <li class="thumb">
      {undecodable || !url ? (
        <span role="img" aria-label={props.alt}>
          <Icon name="gallery" />
        </span>
      ) : (
        <img src={url} alt={props.alt} onError={() => setUndecodable(true)} />
      )}
      {remove && (
        <button type="button" class="round dark" aria-label={remove.label} onClick={remove.run}>
          <Icon name="cross" />
        </button>
      )}
    </li>
  );
}

type ThumbsProps = {
  held: readonly HeldCapture[];
  /** Of the step, how many were sent already. */
  sent: number;
  altOf: (n: number) => string;
  onRemove: (id: string) => void;
};

/** The pictures of a step, each with a button that removes it. */
export function Thumbs({ held, sent, altOf, onRemove }: ThumbsProps): JSX.Element {
  const { t } = usePage();
  return (
    <>
      <SentCount n={sent} />
      <ul class="thumbs">
        {held.map((capture, i) => (
          <Thumb
            key={capture.id}
            capture={capture}
            alt={altOf(i + 1)}
            remove={{ label: t('upload.remove', { n: i + 1 }), run: () => onRemove(capture.id) }}
          />
        ))}
      </ul>
    </>
  );
}

/** Counts a step's pictures that were already sent. They are no longer on the device, so they cannot be shown. */
export function SentCount({ n }: { n: number }): JSX.Element | null {
  const { t } = usePage();
  if (n === 0) return null;
  return (
    <p class="with-icon soft small">
      <Icon name="check" />
      {t('summary.sent', { n })}
    </p>
  );
}
