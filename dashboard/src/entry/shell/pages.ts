import type { Role } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { MessageKey } from '../../base/i18n.ts';
import type { IconName } from '../../base/parts/icon.tsx';

export interface MenuPage {
  path: string;
  label: MessageKey;
  icon: IconName;
  /** The least role that finds it in the menu; everybody unless said. */
  from?: Role;
}

interface MenuGroup {
  /** What a person does there; the first group needs no name. */
  label?: MessageKey;
  pages: readonly MenuPage[];
}

/** The pages that the frame leads to, in the order of the menu. */
const GROUPS: readonly MenuGroup[] = [
  {
    pages: [
      { path: '/', label: 'page.home', icon: 'home' },
      { path: '/review', label: 'page.review', icon: 'eye', from: 'reviewer' },
      { path: '/verifications', label: 'page.verifications', icon: 'list' },
      { path: '/issue', label: 'page.issue', icon: 'plus', from: 'member' },
      { path: '/batches', label: 'page.batches', icon: 'layers' },
      { path: '/compare', label: 'page.compare', icon: 'copy' },
    ],
  },
  {
    label: 'group.setUp',
    pages: [
      { path: '/templates', label: 'page.templates', icon: 'link' },
      { path: '/brands', label: 'page.brands', icon: 'brand' },
      { path: '/webhooks', label: 'page.webhooks', icon: 'send' },
    ],
  },
  {
    label: 'group.insight',
    pages: [
      { path: '/statistics', label: 'page.statistics', icon: 'chart' },
      { path: '/review/replay', label: 'page.replay', icon: 'undo', from: 'owner' },
    ],
  },
  {
    label: 'group.administration',
    pages: [
      { path: '/settings', label: 'page.settings', icon: 'gear' },
      { path: '/settings/people', label: 'page.people', icon: 'people' },
      { path: '/audit', label: 'page.audit', icon: 'sheet', from: 'owner' },
      { path: '/system', label: 'page.system', icon: 'device', from: 'owner' },
      { path: '/account', label: 'page.account', icon: 'person' },
    ],
  },
];

/** The groups of pages that a role finds in the menu. */
export const groupsFor = (role: Role): MenuGroup[] =>
  GROUPS.map(group => ({ ...group, pages: group.pages.filter(page => hasRole(role, page.from ?? 'viewer')) }));

export const pagesFor = (role: Role): MenuPage[] => groupsFor(role).flatMap(({ pages }) => pages);
