import type { LinkTemplate } from '@firsthand/contract/account/management.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Icon } from '../base/parts/icon.tsx';
import { More } from '../base/parts/more.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Empty, Read } from '../base/parts/states.tsx';
import { useSay } from '../base/parts/toasts.tsx';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { isAtLeast } from '../entry/shell/pages.ts';
import { TEMPLATES } from './keys.ts';
import { STARTERS } from './starters.ts';

/** Links that anybody may open: each opening makes a verification of the newest version. */
export default function TemplatesPage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const member = isAtLeast(tenant.role, 'member');
  const templates = useInfiniteQuery({
    queryKey: TEMPLATES,
    queryFn: ({ signal, pageParam }) =>
      call('GET /v1/link-templates', { signal, query: { limit: '50', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });
  return (
    <>
      <div className="title-line">
        <PageTitle intro={t('templates.intro')}>{t('page.templates')}</PageTitle>
        <CurlMenu requests={[{ label: t('templates.list'), request: { method: 'GET', path: '/v1/link-templates' } }]} />
      </div>
      {member && (
        <div className="toolbar">
          <Link className="button main" href="/templates/new">
            <Icon name="plus" />
            {t('templates.new')}
          </Link>
        </div>
      )}
      <Read query={templates}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data);
          if (all.length === 0) {
            return (
              <Empty icon="link" title={t('templates.none')}>
                <p>{t('templates.noneText')}</p>
                {member && (
                  <div className="actions">
                    {STARTERS.map(starter => (
                      <Link key={starter} className="button quiet" href={`/templates/new?starter=${starter}`}>
                        {t(`starter.${starter}`)}
                      </Link>
                    ))}
                  </div>
                )}
              </Empty>
            );
          }
          return (
            <section className="card section" aria-label={t('page.templates')}>
              <ul className="rows">
                {all.map(template => (
                  <Row key={template.id} template={template} />
                ))}
              </ul>
              <More list={templates} />
            </section>
          );
        }}
      </Read>
    </>
  );
}

function Row({ template }: { template: LinkTemplate }) {
  const { t } = useWords();
  const { ago } = useMoments();
  const say = useSay();
  const { id, name, version, status, url, updated_at, request } = template;
  const revoked = status === 'revoked';
  const photos = request.steps?.length ?? 1;
  return (
    <li className="row">
      <span className={`tag ${revoked ? '' : 'verified'}`}>
        <Icon name={revoked ? 'cross' : 'check'} />
        {t(`template.${status}`)}
      </span>
      <div className="row-main">
        <span className="row-name">
          <Link href={`/templates/${id}`}>{name}</Link>
        </span>
        <span className="soft small">
          {t('template.line', { version, at: ago(updated_at) })} · {t('template.steps', { n: photos })}
        </span>
      </div>
      {!revoked && (
        <Button
          slim
          aria-label={t('template.copyNamed', { name })}
          onPress={() => void navigator.clipboard.writeText(url).then(() => say(t('common.copied')))}
        >
          <Icon name="copy" />
          {t('common.copy')}
        </Button>
      )}
    </li>
  );
}
