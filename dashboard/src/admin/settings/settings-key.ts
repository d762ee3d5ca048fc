export const SETTINGS = ['settings'] as const;
