import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { call } from '../../base/api/call.ts';
import { useList } from '../../base/api/list.ts';
import { useWords } from '../../base/language.tsx';
import { SelectField } from '../../base/parts/select-field.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { callName, PEOPLE } from '../../base/people.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { VERIFICATION } from './keys.ts';

/** The people of the account with their names, oneself first. */
export function usePeople() {
  const { t } = useWords();
  const me = useSignedIn().person.id;
  const people = useList(PEOPLE, 'GET /v1/people', { query: { limit: '100' } });
  return (people.data ?? [])
    .map(person => ({
      id: person.id,
      role: person.role,
      name: person.id === me ? t('assign.me') : callName(person, t('account.nameless')),
    }))
    .sort((a, b) => Number(b.id === me) - Number(a.id === me) || a.name.localeCompare(b.name));
}

/** Gives a case to a person who may review it, or back to everybody. */
export function AssignTo({ verification: { id, review } }: { verification: Verification }) {
  const { t } = useWords();
  const people = usePeople().filter(person => hasRole(person.role, 'reviewer'));
  const { assigned_to, version = 0 } = review;
  const assign = useAction(
    (person: string) =>
      call('PUT /v1/verifications/:id/assignee', { id, body: { person_id: person || null, version } }),
    { refreshes: [VERIFICATION(id)], says: () => t('assign.done') },
  );
  const known = people.some(person => person.id === assigned_to?.person_id);
  return (
    <>
      <SelectField
        label={t('assign.label')}
        value={assigned_to?.person_id ?? ''}
        disabled={assign.isPending}
        options={[
          ['', t('assign.nobody')],
          ...(assigned_to && !known ? [[assigned_to.person_id, assigned_to.name] as const] : []),
          ...people.map(person => [person.id, person.name] as const),
        ]}
        onChosen={person => assign.mutate(person)}
      />
      <Problem error={assign.error} />
    </>
  );
}
