import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { DeliveryRow } from '../../admin/webhooks/delivery-row.tsx';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Read } from '../../base/parts/states.tsx';
import { DELIVERIES } from './keys.ts';

const MOST = 100;

/** The webhooks of one verification, with what their receiver answered. */
export function Deliveries({ verificationId }: { verificationId: string }) {
  const { t } = useWords();
  const deliveries = useRead(DELIVERIES(verificationId), 'GET /v1/webhook-deliveries', {
    query: { verification_id: verificationId, limit: String(MOST) },
  });
  return (
    <Section title={t('deliveries.title')}>
      <Read query={deliveries}>
        {({ data }: { data: WebhookDelivery[] }) =>
          data.length === 0 ? (
            <p className="soft small">{t('deliveries.none')}</p>
          ) : (
            <ul className="rows">
              {data.map(delivery => (
                <DeliveryRow key={delivery.id} delivery={delivery} refreshes={[DELIVERIES(verificationId)]} />
              ))}
            </ul>
          )
        }
      </Read>
    </Section>
  );
}
