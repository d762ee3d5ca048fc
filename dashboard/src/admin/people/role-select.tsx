import type { Person } from '@firsthand/contract/people/people.ts';
import { ROLES } from '@firsthand/contract/people/roles.ts';
import { useWords } from '../../base/language.tsx';
import { Select } from '../../base/parts/select.tsx';

type Role = Person['role'];

interface RoleSelectProps {
  label: string;
  hideLabel?: boolean;
  value: Role;
  isDisabled?: boolean;
  onChange: (role: Role) => void;
}

/** Chooses a role, each with what it may do. */
export function RoleSelect({ onChange, ...props }: RoleSelectProps) {
  const { t } = useWords();
  const options = ROLES.map(id => ({ id, name: t(`role.${id}`), more: t(`may.${id}`) }));
  return <Select {...props} options={options} onChange={id => onChange(id as Role)} />;
}
