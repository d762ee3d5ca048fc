/** Settings under which each phone has an address of its own. Otherwise all share one address's limit of requests. */
export const PHONES = { TRUSTED_PROXIES: '127.0.0.1,::1' };

/** Headers of the nth phone. */
export const phoneOf = (n: number) => ({ 'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` });
