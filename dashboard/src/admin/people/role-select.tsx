import type { Person } from '@firsthand/contract/people/people.ts';
import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import type { MessageKey } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { Icon } from '../../base/parts/icon.tsx';

type Role = Person['role'];
const ROLES: Record<Role, MessageKey> = {
  viewer: 'may.viewer',
  reviewer: 'may.reviewer',
  member: 'may.member',
  owner: 'may.owner',
};

/** Chooses a role, each with what it may do. */
export function RoleSelect({
  label,
  hideLabel = false,
  value,
  isDisabled = false,
  onChange,
}: {
  label: string;
  hideLabel?: boolean;
  value: Role;
  isDisabled?: boolean;
  onChange: (role: Role) => void;
}) {
  const { t } = useWords();
  return (
    <Select
      className="field select"
      value={value}
      isDisabled={isDisabled}
      onChange={key => key !== value && onChange(key as Role)}
    >
      <Label className={hideLabel ? 'unseen' : 'label'}>{label}</Label>
      <Button className="input select-button">
        <SelectValue>{t(`role.${value}`)}</SelectValue>
        <Icon name="down" />
      </Button>
      <Popover className="popover">
        <ListBox className="menu">
          {(Object.entries(ROLES) as [Role, MessageKey][]).map(([role, may]) => (
            <ListBoxItem key={role} id={role} textValue={t(`role.${role}`)} className="item two-lines">
              {({ isSelected }) => (
                <>
                  <span className="mark">{isSelected && <Icon name="check" />}</span>
                  <span>
                    <span>{t(`role.${role}`)}</span>
                    <span className="soft small">{t(may)}</span>
                  </span>
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
