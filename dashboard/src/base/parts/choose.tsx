import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon, Marked } from './icon.tsx';

interface ChooseProps<Value extends string> {
  label: string;
  values: readonly Value[];
  nameOf: (value: Value) => string;
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
}

/** A filter: any of several values, none meaning all of them. */
export function Choose<Value extends string>({ label, values, nameOf, chosen, onChange }: ChooseProps<Value>) {
  return (
    <MenuTrigger>
      <Button className="button quiet slim" data-on={chosen.length > 0}>
        {label}
        {chosen.length > 0 && <span className="choice">{chosen.map(nameOf).join(', ')}</span>}
        <Icon name="down" />
      </Button>
      <Popover className="popover">
        <Menu
          className="menu"
          aria-label={label}
          selectionMode="multiple"
          selectedKeys={chosen}
          onSelectionChange={keys => onChange(values.filter(value => keys === 'all' || keys.has(value)))}
        >
          {values.map(value => (
            <MenuItem key={value} id={value} className="item" textValue={nameOf(value)}>
              {({ isSelected }) => <Marked on={isSelected}>{nameOf(value)}</Marked>}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
