import { qrOf } from '@firsthand/look/qr.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ownLink } from '../embedding.ts';
import type { Held } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { AskedList } from './landing.tsx';
import { Press, Screen } from './parts.tsx';

/** How often the page asks what has arrived. Asking changes nothing. */
const LOOK_EVERY_MS = 3_000;
const NOTHING_HELD: Held = { captures: [], answers: {} };

type Props = { view: CaptureView; onLook: () => void; onStay: () => void };

/**
 * On a computer: hands the request over to the phone by a QR code of this very link, and shows what the phone has sent. The code
 * grants what the link grants, capture, and nothing is there to collect afterwards.
 */
export function HandOver({ view, onLook, onStay }: Props): JSX.Element {
  const { t } = usePage();
  const [code, setCode] = useState({ path: '', size: 1 });
  useEffect(() => void qrOf(ownLink()).then(setCode), []);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && onLook(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [onLook]);
  const n = view.captures_count;
  return (
    <Screen
      name="hand-over"
      title={t('handover.title')}
      lead={t('handover.lead')}
      actions={
        <Press look="quiet" onClick={onStay}>
          {t('handover.stay')}
        </Press>
      }
    >
      <svg
        class="qr"
        viewBox={`0 0 ${code.size} ${code.size}`}
        role="img"
        aria-label={t('handover.code')}
        shape-rendering="crispEdges"
      >
        <rect width={code.size} height={code.size} fill="#fff" />
        <path d={code.path} fill="#000" />
      </svg>
      <p role="status">
        {n > 0 ? t('handover.arrived', { photos: t('common.photos', { n }) }) : t('handover.waiting')}
      </p>
      <AskedList view={view} held={NOTHING_HELD} />
    </Screen>
  );
}
