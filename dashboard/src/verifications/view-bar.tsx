import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Dialog } from '../base/parts/dialog.tsx';
import { Field } from '../base/parts/field.tsx';
import { Form } from '../base/parts/form.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { useMay, useSignedIn } from '../entry/session/signed-in.ts';
import { COMMON, useViews } from './views.ts';

/** The views of the list as links; a set of filters that has no name yet can get one. */
export function ViewBar({ search }: { search: string }) {
  const { t } = useWords();
  const { person, tenant } = useSignedIn();
  const { views, full, save, remove } = useViews(person.id, tenant.id);
  const [naming, setNaming] = useState(false);
  const mine = { label: 'view.mine', search: `?assigned_to=${person.id}` } as const;
  const common = useMay('reviewer') ? [...COMMON, mine] : COMMON;
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view is another place in the bar
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [search]);
  const named = common.some(view => view.search === search) || views.some(view => view.search === search);
  return (
    <nav ref={bar} className="views line" aria-label={t('view.title')}>
      {common.map(view => (
        <ViewLink key={view.label} search={view.search} here={search}>
          {t(view.label)}
        </ViewLink>
      ))}
      {views.map(view => (
        <span key={view.name} className="view-own">
          <ViewLink search={view.search} here={search}>
            {view.name}
          </ViewLink>
          <button
            type="button"
            className="view-gone"
            aria-label={t('view.remove', { name: view.name })}
            onClick={() => remove(view)}
          >
            <Icon name="cross" />
          </button>
        </span>
      ))}
      {!named && !full && (
        <Button weight="plain" slim onPress={() => setNaming(true)}>
          <Icon name="plus" />
          {t('view.save')}
        </Button>
      )}
      {naming && (
        <NameView
          onClose={() => setNaming(false)}
          onNamed={name => {
            save({ name, search });
            setNaming(false);
          }}
        />
      )}
    </nav>
  );
}

const ViewLink = ({ search, here, children }: { search: string; here: string; children: string }) => (
  <Link href={`/verifications${search}`} className="view" aria-current={search === here ? 'page' : undefined}>
    {children}
  </Link>
);

function NameView({ onClose, onNamed }: { onClose: () => void; onNamed: (name: string) => void }) {
  const { t } = useWords();
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const submit = () => {
    const wanted = name.trim();
    if (wanted === '') setFault(t('view.nameFault'));
    else onNamed(wanted);
  };
  return (
    <Dialog title={t('view.saveTitle')} onClose={onClose}>
      <Form label={t('view.save')} onSubmit={submit} onCancel={onClose}>
        <Field
          label={t('view.name')}
          hint={t('view.nameHint')}
          fault={fault}
          value={name}
          onChange={setName}
          autoFocus
          maxLength={40}
        />
      </Form>
    </Dialog>
  );
}
