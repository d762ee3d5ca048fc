export const VERIFICATION = (id: string) => ['verification', id] as const;
export const DELIVERIES = (id: string) => ['deliveries', id] as const;
