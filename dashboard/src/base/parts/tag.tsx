import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** A pictogram, and the meaning that gives its colour. */
export type Look = readonly [icon: IconName, meaning: 'verified' | 'doubtful' | 'failed' | ''];

/** A state in a word. */
export const Tag = ({ look: [icon, meaning], children }: { look: Look; children: ReactNode }) => (
  <span className={`tag ${meaning}`}>
    <Icon name={icon} />
    {children}
  </span>
);
