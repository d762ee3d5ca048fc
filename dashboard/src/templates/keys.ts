export const TEMPLATES = ['templates'] as const;
export const TEMPLATE = (id: string) => ['template', id] as const;
