import { Type } from 'typebox';
import { type Fault, fault } from '../base/fault.ts';
import { isRecord } from '../base/is-record.ts';
import { ORIGINS_MAX, URL_MAX } from '../base/limits.ts';
import { WEB_ORIGIN } from '../base/patterns.ts';
import { isWebOrigin, webUrlOf } from '../base/web-url.ts';

const origins = (description: string) =>
  Type.Array(Type.String({ maxLength: 260, pattern: WEB_ORIGIN }), {
    maxItems: ORIGINS_MAX,
    uniqueItems: true,
    description,
  });
export const AllowedOrigins = origins(
  'pages on these origins may show the capture page in a frame, and a `return_url` must belong to one; such as `https://claims.example.com`',
);
export const BrandOrigins = origins("for links that wear this brand, besides the account's `allowed_origins`");

const RETURN =
  "where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand";
const returnUrl = (description: string) => Type.String({ format: 'iri', maxLength: URL_MAX, description });
export const BrandReturnUrl = returnUrl(RETURN);
export const TemplateReturnUrl = returnUrl(`${RETURN}; replaces the brand's`);

/** Faults of origins that the pattern cannot express, such as a port that browsers leave out. */
export function originFaults(body: unknown): Fault[] {
  const origins = isRecord(body) ? body.allowed_origins : undefined;
  if (!Array.isArray(origins)) return [];
  return origins.flatMap((origin: unknown, index) => {
    // The schema reports the others.
    if (typeof origin !== 'string' || !new RegExp(WEB_ORIGIN).test(origin) || isWebOrigin(origin)) return [];
    const written = URL.canParse(origin) ? new URL(origin).origin : null;
    const message = written ? `must be written as browsers write it: ${written}` : 'is not an origin';
    return [fault(`allowed_origins.${index}`, 'format', message, { format: 'origin' })];
  });
}

/** True when `address` may be led to from a page whose account allows `origins`. */
export const isAllowedReturn = (address: string, origins: readonly string[]): boolean => {
  const url = webUrlOf(address);
  return url !== null && url.username === '' && url.password === '' && origins.includes(url.origin);
};

/** The fault of a `return_url` that belongs to no allowed origin. */
export const returnUrlFaults = (address: unknown, origins: readonly string[]): Fault[] =>
  typeof address !== 'string' || webUrlOf(address) === null || isAllowedReturn(address, origins)
    ? []
    : [
        fault(
          'return_url',
          'not_allowed',
          `must belong to an allowed origin; ${new URL(address).origin} is not in allowed_origins of the account or the brand`,
        ),
      ];
