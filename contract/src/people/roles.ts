/** Roles from least to most powerful. Each role may do everything the roles before it may. */
export const ROLES = ['viewer', 'reviewer', 'member', 'owner'] as const;
