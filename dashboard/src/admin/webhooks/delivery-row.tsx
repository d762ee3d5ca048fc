import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import type { QueryKey } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Icon, type IconName } from '../../base/parts/icon.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAct } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import './webhooks.css';

const LOOK: Record<WebhookDelivery['status'], [IconName, string]> = {
  succeeded: ['check', 'verified'],
  failed: ['cross', 'failed'],
  pending: ['time', ''],
  cancelled: ['right', ''],
};

/** One delivery: what was sent where, every attempt with its answer, and sending it again. */
export function DeliveryRow({
  delivery,
  refreshes,
  linked = false,
}: {
  delivery: WebhookDelivery;
  refreshes: readonly QueryKey[];
  /** Leads to the verification it is about. */
  linked?: boolean;
}) {
  const { t, number } = useWords();
  const { exactly, ago } = useMoments();
  const say = useSay();
  const { tenant } = useSignedIn();
  const member = hasRole(tenant.role, 'member');
  const again = useAct(() => call('POST /v1/webhook-deliveries/:id/retry', { id: delivery.id, body: {} }), {
    refreshes,
    onDone: () => say(t('deliveries.sentAgain')),
  });
  const [icon, meaning] = LOOK[delivery.status];
  const last = delivery.attempts.at(-1);
  return (
    <li className="row delivery">
      <span className={`tag ${meaning}`}>
        <Icon name={icon} />
        {t(`delivery.${delivery.status}`)}
      </span>
      <div className="row-main">
        <span className="row-name">
          <code>{delivery.type}</code>
          {linked && delivery.verification_id && (
            <Link className="small" href={`/verifications/${delivery.verification_id}`}>
              …{delivery.verification_id.slice(-6)}
            </Link>
          )}
        </span>
        <span className="soft small">
          {delivery.url} · <time dateTime={delivery.created_at}>{ago(delivery.created_at)}</time>
          {last?.status_code !== undefined && ` · ${last.status_code}`}
          {delivery.next_attempt_at && ` · ${t('deliveries.next', { at: ago(delivery.next_attempt_at) })}`}
        </span>
        {delivery.attempts.length > 0 && (
          <details className="more">
            <summary>{t('deliveries.attempts', { n: delivery.attempts.length })}</summary>
            <ol className="attempts">
              {delivery.attempts.map(attempt => (
                <li key={attempt.at}>
                  <span>
                    <time dateTime={attempt.at}>{exactly(attempt.at)}</time> ·{' '}
                    <strong>{attempt.status_code ?? t(`attempt.${attempt.error ?? 'failed'}`)}</strong> ·{' '}
                    {number(attempt.latency_ms, { style: 'unit', unit: 'millisecond' })}
                    {attempt.status_code !== undefined && attempt.error && ` · ${t(`attempt.${attempt.error}`)}`}
                  </span>
                  {attempt.response_excerpt && <pre>{attempt.response_excerpt}</pre>}
                </li>
              ))}
            </ol>
            <p className="soft small">
              webhook-id <code>{delivery.event_id}</code>
            </p>
          </details>
        )}
        <Problem error={again.error} />
      </div>
      {member && (
        <div className="row-acts">
          <Button slim busy={again.isPending} onPress={() => again.mutate(undefined)}>
            <Icon name="lens" />
            {t('deliveries.again')}
          </Button>
          <CurlMenu
            acts={[
              {
                label: t('deliveries.again'),
                request: { method: 'POST', path: `/v1/webhook-deliveries/${delivery.id}/retry` },
              },
            ]}
          />
        </div>
      )}
    </li>
  );
}
