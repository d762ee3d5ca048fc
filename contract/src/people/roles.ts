/** Roles from least to most powerful. Each role may do everything the roles before it may. */
export const ROLES = ['viewer', 'reviewer', 'member', 'owner'] as const;
type Role = (typeof ROLES)[number];

/** Whether a role may do what the least role for it may. */
export const hasRole = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);
