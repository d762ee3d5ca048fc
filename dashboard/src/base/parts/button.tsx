import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button';

/** `main`: the one thing to do here. `quiet`: another. `plain`: on the way. `grave`: cannot be undone. */
export type Weight = 'main' | 'quiet' | 'plain' | 'grave';

interface Props extends Omit<ButtonProps, 'className' | 'children' | 'isPending'> {
  weight?: Weight;
  /** As low as a line of filters. */
  slim?: boolean;
  /** The action is under way: the button keeps the focus and ignores presses. */
  busy?: boolean;
  children: ReactNode;
}

export const Button = ({ weight = 'quiet', slim = false, busy = false, type, onPress, children, ...props }: Props) => (
  <AriaButton
    {...props}
    type={busy ? 'button' : (type ?? 'button')}
    className={`button ${weight}${slim ? ' slim' : ''}`}
    {...(busy ? { 'data-busy': true } : { onPress })}
  >
    {children}
  </AriaButton>
);
