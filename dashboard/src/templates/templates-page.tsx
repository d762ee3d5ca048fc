import type { LinkTemplate } from '@firsthand/contract/account/management.ts';
import { Link } from 'wouter';
import { useList } from '../base/api/list.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { useCopy } from '../base/parts/copy.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Icon } from '../base/parts/icon.tsx';
import { Rows } from '../base/parts/rows.tsx';
import { TitleLine } from '../base/parts/section.tsx';
import { Tag } from '../base/parts/shown.tsx';
import { Empty } from '../base/parts/states.tsx';
import { useMay } from '../entry/session/signed-in.ts';
import { TEMPLATES } from './keys.ts';
import { STARTERS } from './starters.ts';

/** Links that anybody may open: each opening makes a verification of the newest version. */
export default function TemplatesPage() {
  const { t } = useWords();
  const member = useMay('member');
  const templates = useList(TEMPLATES, 'GET /v1/link-templates');
  return (
    <>
      <TitleLine
        title={t('page.templates')}
        intro={t('templates.intro')}
        requests={[{ label: t('templates.list'), to: 'GET /v1/link-templates' }]}
      />
      {member && (
        <div className="toolbar">
          <Link className="button main" href="/templates/new">
            <Icon name="plus" />
            {t('templates.new')}
          </Link>
        </div>
      )}
      <Rows
        list={templates}
        label={t('page.templates')}
        none={
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
        }
      >
        {template => <Row template={template} />}
      </Rows>
    </>
  );
}

function Row({ template }: { template: LinkTemplate }) {
  const { t } = useWords();
  const { ago } = useMoments();
  const copy = useCopy();
  const { id, name, version, status, url, updated_at, request } = template;
  const revoked = status === 'revoked';
  const photos = request.steps?.length ?? 1;
  return (
    <li className="row">
      <Tag look={revoked ? ['cross', ''] : ['check', 'verified']}>{t(`template.${status}`)}</Tag>
      <div className="row-main">
        <span className="row-name line">
          <Link href={`/templates/${id}`}>{name}</Link>
        </span>
        <span className="soft small">
          {t('template.line', { version, at: ago(updated_at) })} · {t('template.steps', { n: photos })}
        </span>
      </div>
      {!revoked && (
        <Button slim aria-label={t('template.copyNamed', { name })} onPress={() => copy(url)}>
          <Icon name="copy" />
          {t('common.copy')}
        </Button>
      )}
    </li>
  );
}
