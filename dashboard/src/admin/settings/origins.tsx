import type { Settings } from '@firsthand/contract/account/management.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { OriginsField, originsIn } from '../origins-field.tsx';
import { SETTINGS } from './settings-key.ts';

/** The sites that may show the capture page in a frame. */
export function Origins({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const say = useSay();
  const [text, setText] = useState(settings.allowed_origins.join('\n'));
  const [tried, setTried] = useState(false);
  const { origins, wrong } = originsIn(text);
  const body = { allowed_origins: origins };
  const save = useAction(() => call('PATCH /v1/settings', { body }), {
    refreshes: [SETTINGS],
    onDone: ({ allowed_origins }) => {
      setText(allowed_origins.join('\n'));
      say(t('settings.saved'));
    },
  });
  return (
    <Section
      title={t('origins.title')}
      intro={t('origins.intro')}
      aside={
        <CurlMenu requests={[{ label: t('origins.save'), request: { method: 'PATCH', path: '/v1/settings', body } }]} />
      }
    >
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          setTried(true);
          if (wrong.length === 0) save.mutate(undefined);
        }}
      >
        <OriginsField label={t('origins.field')} value={text} onChange={setText} wrong={tried ? wrong : []} />
        <Problem error={save.error} />
        <div className="actions">
          <Button weight="main" type="submit" busy={save.isPending}>
            {t('origins.save')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
