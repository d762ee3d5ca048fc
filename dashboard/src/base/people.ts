import type { Person } from '@firsthand/contract/people/people.ts';

export const PEOPLE = ['people'] as const;

/** A name to speak of a person by. */
export const callName = ({ name, email, phone_e164 }: Pick<Person, 'name' | 'email' | 'phone_e164'>, none: string) =>
  name ?? email ?? phone_e164 ?? none;
