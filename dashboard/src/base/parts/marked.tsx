import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** An option of a list, with a mark while it is chosen. */
export const Marked = ({ on, children }: { on: boolean; children: ReactNode }) => (
  <>
    <span className="mark">{on && <Icon name="check" />}</span>
    {children}
  </>
);
