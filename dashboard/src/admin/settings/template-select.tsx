import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Select } from '../../base/parts/select.tsx';
import { Read } from '../../base/parts/states.tsx';

interface TemplateSelectProps {
  value: string | undefined;
  fault: string | undefined;
  onChange: (id: string) => void;
}

/** Chooses one of the account's active link templates, of the mode that the person works in. */
export function TemplateSelect({ value, fault, onChange }: TemplateSelectProps) {
  const { t } = useWords();
  const templates = useRead(['link-templates', 'to choose from'], 'GET /v1/link-templates', {
    query: { limit: '100' },
  });
  return (
    <Read query={templates}>
      {({ data }) => {
        const active = data.filter(({ status }) => status === 'active');
        if (active.length === 0) return <p className="fault">{t('apiKeys.noTemplate')}</p>;
        return (
          <Select
            label={t('apiKeys.template')}
            placeholder={t('apiKeys.templateNone')}
            hint={t('apiKeys.templateHint')}
            fault={fault}
            options={active}
            value={value ?? null}
            onChange={onChange}
          />
        );
      }}
    </Read>
  );
}
