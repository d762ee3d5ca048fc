import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components/Button';

/** `main`: the one thing to do here. `quiet`: another. `plain`: on the way. `grave`: cannot be undone. */
export type Weight = 'main' | 'quiet' | 'plain' | 'grave';

export const Button = ({
  weight = 'quiet',
  children,
  ...props
}: Omit<ButtonProps, 'className'> & { weight?: Weight; children: ReactNode }) => (
  <AriaButton {...props} className={`button ${weight}`}>
    {children}
  </AriaButton>
);
