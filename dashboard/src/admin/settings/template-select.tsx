import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Read } from '../../base/parts/states.tsx';

/** Chooses one of the account's active link templates, of the mode that the person works in. */
export function TemplateSelect({
  value,
  fault,
  onChange,
}: {
  value: string | undefined;
  fault: string | undefined;
  onChange: (id: string) => void;
}) {
  const { t } = useWords();
  const templates = useQuery({
    queryKey: ['link-templates', 'to choose from'],
    queryFn: ({ signal }) => call('GET /v1/link-templates', { signal, query: { limit: '100' } }),
  });
  return (
    <Read query={templates}>
      {({ data }) => {
        const active = data.filter(({ status }) => status === 'active');
        return active.length === 0 ? (
          <p className="fault">{t('apiKeys.noTemplate')}</p>
        ) : (
          <Select
            className="field select"
            placeholder={t('apiKeys.templateNone')}
            value={value ?? null}
            validationBehavior="aria"
            isInvalid={fault !== undefined}
            onChange={key => onChange(String(key))}
          >
            <Label className="label">{t('apiKeys.template')}</Label>
            <Button className="input select-button">
              <SelectValue />
              <Icon name="down" />
            </Button>
            <p className="soft small">{t('apiKeys.templateHint')}</p>
            <FieldError className="fault">{fault}</FieldError>
            <Popover className="popover">
              <ListBox className="menu">
                {active.map(({ id, name }) => (
                  <ListBoxItem key={id} id={id} textValue={name} className="item">
                    {({ isSelected }) => (
                      <>
                        <span className="mark">{isSelected && <Icon name="check" />}</span>
                        {name}
                      </>
                    )}
                  </ListBoxItem>
                ))}
              </ListBox>
            </Popover>
          </Select>
        );
      }}
    </Read>
  );
}
