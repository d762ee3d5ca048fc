import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Icon, Marked } from './icon.tsx';

/** One of many, for which the browser's own field is too plain: each option may say more than its name. */
interface SelectProps {
  label: string;
  hideLabel?: boolean;
  placeholder?: string;
  hint?: string;
  fault?: string | undefined;
  options: readonly { id: string; name: string; more?: string }[];
  value: string | null;
  isDisabled?: boolean;
  onChange: (id: string) => void;
}

export const Select = ({ label, hideLabel = false, hint, fault, options, onChange, ...props }: SelectProps) => (
  <AriaSelect
    {...props}
    className="field select"
    validationBehavior="aria"
    isInvalid={fault !== undefined}
    onChange={id => id !== props.value && onChange(String(id))}
  >
    <Label className={hideLabel ? 'unseen' : 'label'}>{label}</Label>
    <Button className="input select-button">
      <SelectValue>{options.find(({ id }) => id === props.value)?.name ?? props.placeholder}</SelectValue>
      <Icon name="down" />
    </Button>
    {hint !== undefined && <p className="soft small">{hint}</p>}
    <FieldError className="fault">{fault}</FieldError>
    <Popover className="popover">
      <ListBox className="menu">
        {options.map(({ id, name, more }) => (
          <ListBoxItem key={id} id={id} textValue={name} className={more ? 'item two-lines' : 'item'}>
            {({ isSelected }) => (
              <Marked on={isSelected}>
                {more ? (
                  <span>
                    <span>{name}</span>
                    <span className="soft small">{more}</span>
                  </span>
                ) : (
                  name
                )}
              </Marked>
            )}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </AriaSelect>
);
