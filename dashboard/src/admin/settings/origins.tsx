import type { Settings } from '@firsthand/contract/account/management.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Section } from '../../base/parts/section.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { OriginsField, originsIn } from '../origins-field.tsx';
import { SETTINGS } from './settings-key.ts';

/** The sites that may show the capture page in a frame. */
export function Origins({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const [text, setText] = useState(settings.allowed_origins.join('\n'));
  const [tried, setTried] = useState(false);
  const { origins, wrong } = originsIn(text);
  const body = { allowed_origins: origins };
  const save = useAction(() => call('PATCH /v1/settings', { body }), {
    refreshes: [SETTINGS],
    says: () => t('settings.saved'),
    onDone: ({ allowed_origins }) => setText(allowed_origins.join('\n')),
  });
  const submit = () => {
    setTried(true);
    if (wrong.length === 0) save.mutate();
  };
  return (
    <Section
      title={t('origins.title')}
      intro={t('origins.intro')}
      requests={[{ label: t('origins.save'), to: 'PATCH /v1/settings', body }]}
    >
      <Form label={t('origins.save')} sending={save} onSubmit={submit}>
        <OriginsField label={t('origins.field')} value={text} onChange={setText} wrong={tried ? wrong : []} />
      </Form>
    </Section>
  );
}
