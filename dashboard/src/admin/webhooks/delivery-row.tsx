import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import type { QueryKey } from '@tanstack/react-query';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CaseLink } from '../../base/parts/case-link.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Icon } from '../../base/parts/icon.tsx';
import { type Look, Tag } from '../../base/parts/shown.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useMay } from '../../entry/session/signed-in.ts';
import './webhooks.css';

const LOOK: Record<WebhookDelivery['status'], Look> = {
  succeeded: ['check', 'verified'],
  failed: ['cross', 'failed'],
  pending: ['time', ''],
  cancelled: ['right', ''],
};

interface DeliveryRowProps {
  delivery: WebhookDelivery;
  refreshes: readonly QueryKey[];
  /** Leads to the verification it is about. */
  linked?: boolean;
}

/** One delivery: what was sent where, every attempt with its answer, and sending it again. */
export function DeliveryRow({ delivery, refreshes, linked = false }: DeliveryRowProps) {
  const { t } = useWords();
  const { ago } = useMoments();
  const mayRetry = useMay('member');
  const again = useSendAgain(delivery.id, refreshes);
  const { status, type, verification_id, verification_name, url, created_at, next_attempt_at, attempts } = delivery;
  const last = attempts.at(-1);
  return (
    <li className="row delivery">
      <Tag look={LOOK[status]}>{t(`delivery.${status}`)}</Tag>
      <div className="row-main">
        <span className="row-name line">
          <code>{type}</code>
          {linked && verification_id && <CaseLink id={verification_id} name={verification_name} />}
        </span>
        <span className="soft small">
          {url} · <time dateTime={created_at}>{ago(created_at)}</time>
          {last?.status_code !== undefined && ` · ${last.status_code}`}
          {next_attempt_at && ` · ${t('deliveries.next', { at: ago(next_attempt_at) })}`}
        </span>
        {attempts.length > 0 && <Attempts delivery={delivery} />}
        <Problem error={again.error} />
      </div>
      {mayRetry && (
        <div className="row-actions">
          <Button slim busy={again.isPending} onPress={() => again.mutate()}>
            <Icon name="lens" />
            {t('deliveries.again')}
          </Button>
          <CurlMenu
            requests={[{ label: t('deliveries.again'), to: `POST /v1/webhook-deliveries/${delivery.id}/retry` }]}
          />
        </div>
      )}
    </li>
  );
}

function useSendAgain(id: string, refreshes: readonly QueryKey[]) {
  const { t } = useWords();
  return useAction(() => call('POST /v1/webhook-deliveries/:id/retry', { id, body: {} }), {
    refreshes,
    says: () => t('deliveries.sentAgain'),
  });
}

/** Every attempt with its answer, folded away. */
function Attempts({ delivery: { attempts, event_id } }: { delivery: WebhookDelivery }) {
  const { t, number } = useWords();
  const { exactly } = useMoments();
  return (
    <details className="more">
      <summary>{t('deliveries.attempts', { n: attempts.length })}</summary>
      <ol className="attempts">
        {attempts.map(({ at, status_code, error, latency_ms, response_excerpt }) => (
          <li key={at}>
            <span>
              <time dateTime={at}>{exactly(at)}</time> ·{' '}
              <strong>{status_code ?? t(`attempt.${error ?? 'failed'}`)}</strong> ·{' '}
              {number(latency_ms, { style: 'unit', unit: 'millisecond' })}
              {status_code !== undefined && error && ` · ${t(`attempt.${error}`)}`}
            </span>
            {response_excerpt && <pre>{response_excerpt}</pre>}
          </li>
        ))}
      </ol>
      <p className="soft small">
        webhook-id <code>{event_id}</code>
      </p>
    </details>
  );
}
