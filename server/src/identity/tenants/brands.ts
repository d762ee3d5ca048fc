import { originFaults, returnUrlFaults } from '@firsthand/contract/account/embedding.ts';
import { Brand, BrandInput } from '@firsthand/contract/account/management.ts';
import { legible } from '@firsthand/contract/base/color.ts';
import { BRAND_LOGO_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { SLUG } from '@firsthand/contract/base/patterns.ts';
import { BRAND_SLUG_PATTERN } from '@firsthand/contract/verification/create-verification.ts';
import type { BrandView } from '@firsthand/contract/verification/verification.ts';
import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps, Origins } from '../../platform/deps.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { invalidField, notFound, storageUnavailable } from '../../platform/http/problem.ts';
import { newUlid } from '../../platform/lib/ids.ts';
import { type Activity, activityOf, audit } from '../audit/audit.ts';
import { logoKey, logoPath, readLogo } from './logo.ts';

interface BrandRow {
  tenant_id: string;
  slug: string;
  number: string;
  name: string;
  accent: string | null;
  background: string | null;
  logo_id: string | null;
  allowed_origins: string[];
  return_url: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The pages' default light background. On the dark one the pages adjust the accent themselves. */
const PAGE_GROUND = '#f7f9fa';
/** The largest logo in base64, plus room for the other fields. */
const BODY_LIMIT = Math.ceil((BRAND_LOGO_MAX_BYTES * 4) / 3) + 65_536;
const isSlug = (slug: string) => slug.length >= 2 && slug.length <= 40 && BRAND_SLUG_PATTERN.test(slug);

/** Returns the colours that the pages use. Shifts the accent until it is legible on the background (WCAG AA). */
export function wornColors(accent: string, background: string | null): { accent: string; background?: string } {
  return {
    accent: legible(accent, background ?? PAGE_GROUND),
    ...(background === null ? {} : { background }),
  };
}

const logoUrl = (origins: Origins, logoId: string): string => `${origins.capture}${logoPath(logoId)}`;

function present(row: BrandRow, origins: Origins): Brand {
  const { accent, background } = row;
  return {
    slug: row.slug,
    name: row.name,
    ...(row.logo_id === null ? {} : { logo_url: logoUrl(origins, row.logo_id) }),
    ...(accent === null
      ? {}
      : {
          colors: { accent, ...(background === null ? {} : { background }) },
          worn_colors: wornColors(accent, background),
        }),
    ...(row.allowed_origins.length === 0 ? {} : { allowed_origins: row.allowed_origins }),
    ...(row.return_url === null ? {} : { return_url: row.return_url }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const findBrand = (db: Queryable, tenantId: string, slug: string, lock: '' | 'for update' = '') =>
  one<BrandRow>(db, `select * from brands where tenant_id = $1 and slug = $2 ${lock}`, [tenantId, slug]);

/** Origins that may frame the account's links, with those of a brand where one is named. */
export async function allowedOriginsOf(db: Queryable, tenantId: string, slug: string | null = null): Promise<string[]> {
  const row = await one<{ origins: string[] }>(
    db,
    `select t.allowed_origins || coalesce(b.allowed_origins, '{}') as origins
     from tenants t left join brands b on b.tenant_id = t.id and b.slug = $2 where t.id = $1`,
    [tenantId, slug],
  );
  return row?.origins ?? [];
}

/** Returns the brand of a verification; undefined for the default one. */
export async function brandOf(
  deps: Pick<Deps, 'db' | 'origins'>,
  verification: { tenant_id: string; private: { brand_slug?: string } },
): Promise<BrandView | undefined> {
  const slug = verification.private.brand_slug;
  const row = slug === undefined ? undefined : await findBrand(deps.db, verification.tenant_id, slug);
  if (!row) return undefined;
  return {
    slug: row.slug,
    name: row.name,
    ...(row.logo_id === null ? {} : { logo_url: logoUrl(deps.origins, row.logo_id) }),
    ...(row.accent === null ? {} : { colors: wornColors(row.accent, row.background) }),
  };
}

const common = { tag: 'Management', credentials: ['session', 'secret'] } as const;

type Asked = { deps: Deps; principal: Principal; params: Record<string, string> };
const exists = async ({ deps, principal, params }: Asked) =>
  (await findBrand(deps.db, principal.tenantId, params.slug!)) !== undefined;

export const putBrand = tenantEndpoint({
  operationId: 'putBrand',
  summary: 'Create or replace a brand',
  description:
    'Colors, origins and a return address that you leave out are removed. A logo you leave out stays, because no response repeats its bytes; send `null` to ' +
    'remove it. Logos are converted to PNG of at most 512×512 pixels. `worn_colors` holds the colors the pages use: an ' +
    'accent with too little contrast (WCAG AA) is made darker or lighter.',
  ...common,
  role: 'member',
  bodyLimitBytes: BODY_LIMIT,
  imageFields: ['logo_base64'],
  body: BrandInput,
  recentFor: [{ member: 'allowed_origins' }, { member: 'return_url' }],
  faults: originFaults,
  recordFaults: async ({ deps, principal, body }) => {
    const { return_url, allowed_origins } = (body ?? {}) as Partial<BrandInput>;
    if (return_url === undefined || !principal) return [];
    const own = Array.isArray(allowed_origins) ? allowed_origins : [];
    return returnUrlFaults(return_url, [...(await allowedOriginsOf(deps.db, principal.tenantId)), ...own]);
  },
  responses: { 200: Brand },
  async handler(call) {
    const { deps, body } = call;
    const slug = call.params.slug!;
    if (!isSlug(slug)) {
      const message = 'must have 2 to 40 lower-case letters and digits, with single hyphens between them';
      throw invalidField('slug', 'pattern', message, { pattern: SLUG });
    }
    const logo = body.logo_base64 ? await readLogo('logo_base64', call.images.get('logo_base64')!) : null;
    const logoId = logo ? newUlid() : null;
    if (logo && logoId) {
      await deps.blobs.put(logoKey(logoId), logo, { contentType: 'image/png' }).catch((error: unknown) => {
        throw storageUnavailable(error);
      });
    }
    const doing = activityOf(call);
    const { row, replaced } = await transaction(deps.db, tx => storeBrand(tx, doing, slug, body, logoId));
    await forgetLogo(deps, replaced);
    return ok(present(row, deps.origins));
  },
});

/** Creates or replaces a brand. Returns the row, and the id of a logo that no brand uses any more. */
async function storeBrand(tx: Tx, activity: Activity, slug: string, body: BrandInput, logoId: string | null) {
  const before = await findBrand(tx, activity.tenantId, slug, 'for update');
  const kept = body.logo_base64 === undefined ? (before?.logo_id ?? null) : logoId;
  const row = (await one<BrandRow>(
    tx,
    `insert into brands (tenant_id, slug, name, accent, background, logo_id, allowed_origins, return_url, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
     on conflict (tenant_id, slug) do update set name = excluded.name, accent = excluded.accent,
       background = excluded.background, logo_id = excluded.logo_id, allowed_origins = excluded.allowed_origins,
       return_url = excluded.return_url, updated_at = excluded.updated_at
     returning *`,
    [
      activity.tenantId,
      slug,
      body.name,
      body.colors?.accent.toLowerCase() ?? null,
      body.colors?.background?.toLowerCase() ?? null,
      kept,
      body.allowed_origins ?? [],
      body.return_url ?? null,
      activity.at,
    ],
  ))!;
  const { name, colors, allowed_origins, return_url } = body;
  await audit(tx, activity, {
    action: before ? 'brand.updated' : 'brand.created',
    target: slug,
    detail: {
      name,
      ...(colors ? { colors } : {}),
      ...(allowed_origins ? { allowed_origins } : {}),
      ...(return_url ? { return_url: new URL(return_url).origin } : {}),
      logo: kept !== null,
    },
  });
  return { row, replaced: before?.logo_id && before.logo_id !== kept ? before.logo_id : null };
}

/** Deletes a logo that no brand uses. If this fails, the leftover only costs space. */
async function forgetLogo(deps: Pick<Deps, 'log' | 'blobs'>, logoId: string | null): Promise<void> {
  if (logoId === null) return;
  await deps.blobs
    .delete(logoKey(logoId))
    .catch(error => deps.log.warn({ err: error, blob: logoKey(logoId) }, 'a replaced logo stays in the store'));
}

export const getBrand = tenantEndpoint({
  operationId: 'getBrand',
  summary: 'Get a brand',
  ...common,
  exists,
  responses: { 200: Brand },
  async handler({ deps, principal, params }) {
    const row = await findBrand(deps.db, principal.tenantId, params.slug!);
    if (!row) throw notFound();
    return ok(present(row, deps.origins));
  },
});

export const listBrands = tenantEndpoint({
  operationId: 'listBrands',
  summary: 'List brands, newest first',
  ...common,
  query: PageQuery,
  responses: { 200: Page(Brand) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, number => /^\d{1,18}$/.test(number));
    const rows = await many<BrandRow>(
      deps.db,
      `select * from brands where tenant_id = $1 and ($2::bigint is null or number < $2) order by number desc limit $3`,
      [principal.tenantId, after, query.limit + 1],
    );
    const presented = (row: BrandRow) => present(row, deps.origins);
    return ok(pageOf(rows, query.limit, row => row.number, presented));
  },
});

export const deleteBrand = tenantEndpoint({
  operationId: 'deleteBrand',
  summary: 'Delete a brand',
  description: 'Verifications with this brand then show the default brand.',
  ...common,
  role: 'member',
  exists,
  responses: { 204: null },
  async handler(call) {
    const { deps, principal, params } = call;
    const logoId = await transaction(deps.db, async tx => {
      const row = await one<{ logo_id: string | null }>(
        tx,
        'delete from brands where tenant_id = $1 and slug = $2 returning logo_id',
        [principal.tenantId, params.slug],
      );
      if (!row) throw notFound();
      await audit(tx, activityOf(call), { action: 'brand.deleted', target: params.slug! });
      return row.logo_id;
    });
    await forgetLogo(deps, logoId);
    return noContent;
  },
});
