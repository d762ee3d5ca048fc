import type { WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import type { ReactNode } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { type Look, Tag } from '../../base/parts/shown.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useMay } from '../../entry/session/signed-in.ts';

export const ENDPOINTS = ['webhook-endpoints'] as const;
export const ALL = ['deliveries', 'all'] as const;

const LOOK: Record<'disabled' | 'failing' | 'fine', Look> = {
  disabled: ['cross', 'failed'],
  failing: ['doubt', 'doubtful'],
  fine: ['check', 'verified'],
};

/** Whether an address is well. */
export const stateOf = ({ status, failing_since }: WebhookEndpoint): keyof typeof LOOK =>
  status === 'disabled' ? 'disabled' : failing_since === undefined ? 'fine' : 'failing';

/** The request that helps an endpoint: enabling it again, or sending what it missed. */
function useRemedy(endpoint: WebhookEndpoint, missed: { since: string; url: string }): NamedRequest {
  const { t } = useWords();
  return stateOf(endpoint) === 'disabled'
    ? { label: t('endpoint.enable'), to: `POST /v1/webhook-endpoints/${endpoint.id}/enable` }
    : { label: t('endpoint.recover'), to: 'POST /v1/webhook-deliveries/recover', body: missed };
}

interface EndpointRowProps {
  endpoint: WebhookEndpoint;
  /** Stands below the address. */
  about?: ReactNode;
  /** More to do with it. */
  children?: ReactNode;
}

/** One address: whether it is well, and what helps it. */
export function EndpointRow({ endpoint, about, children }: EndpointRowProps) {
  const { t } = useWords();
  const member = useMay('member');
  const { ago } = useMoments();
  const { url, failing_since, disabled_at, created_at } = endpoint;
  const state = stateOf(endpoint);
  const enable = useAction(() => call('POST /v1/webhook-endpoints/:id/enable', { id: endpoint.id, body: {} }), {
    refreshes: [ENDPOINTS],
    says: () => t('webhooks.enabled'),
  });
  const missed = { since: failing_since ?? disabled_at ?? created_at, url };
  const recover = useAction(() => call('POST /v1/webhook-deliveries/recover', { body: missed }), {
    refreshes: [ALL],
    says: ({ recovered }) => t('webhooks.recovered', { n: recovered }),
  });
  const remedy = useRemedy(endpoint, missed);
  const help = state === 'disabled' ? enable : recover;
  return (
    <li className="row">
      <Tag look={LOOK[state]}>{t(`endpoint.${state}`)}</Tag>
      <div className="row-main">
        <span className="row-name line">{url}</span>
        {about}
        <span className="soft small">
          {state === 'disabled'
            ? t('endpoint.disabledSince', { at: ago(disabled_at ?? created_at) })
            : failing_since !== undefined
              ? t('endpoint.failingSince', { at: ago(failing_since) })
              : t('endpoint.since', { at: ago(created_at) })}
        </span>
        <Problem error={enable.error ?? recover.error} />
      </div>
      {member && (
        <div className="row-actions">
          <Button slim busy={help.isPending} onPress={() => help.mutate()}>
            {remedy.label}
          </Button>
          <CurlMenu requests={[remedy]} />
          {children}
        </div>
      )}
    </li>
  );
}
