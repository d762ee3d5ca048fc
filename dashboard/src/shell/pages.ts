import type { Role } from '@firsthand/contract/people.ts';
import type { MessageKey } from '../i18n.ts';
import type { IconName } from '../parts/icon.tsx';

/** The pages that the frame leads to, in the order of the menu. `roles`: who finds it there; everybody unless said. */
export const PAGES: { path: string; label: MessageKey; icon: IconName; roles?: readonly Role[] }[] = [
  { path: '/', label: 'page.home', icon: 'home' },
  { path: '/verifications', label: 'page.verifications', icon: 'list' },
  { path: '/settings/people', label: 'page.people', icon: 'people' },
  { path: '/account', label: 'page.account', icon: 'person' },
];
