import { Type } from 'typebox';

/** Why the service cancelled long work itself. */
export const Stopped = Type.Enum(['not_allowed'], {
  title: 'Stopped',
  description:
    'why the service cancelled it: `not_allowed` when the person who started it lost the role for it, or the key was revoked',
});
