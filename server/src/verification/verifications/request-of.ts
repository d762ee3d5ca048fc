import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { Issue } from './issue.ts';
import type { VerificationRow } from './row.ts';

/** The request that issues the same verification again, with as much time as the first had. */
export function requestOf(row: VerificationRow): Pick<Issue, 'request' | 'template' | 'by'> {
  const { max_captures: _, ...config } = row.config;
  const { seal, brand_slug, asset_ref, ocr_type, person, source, template, retention_days, webhook_url, by } =
    row.private;
  const subject = {
    ...(asset_ref ? { asset_ref } : {}),
    ...(ocr_type ? { ocr_type } : {}),
    ...(person ? { person } : {}),
  };
  const request: CreateVerificationRequest = {
    ...config,
    ...(webhook_url === undefined ? {} : { webhook_url }),
    expires_in_seconds: Math.round((row.expires_at.getTime() - row.created_at.getTime()) / 1_000),
    ...(seal === undefined ? {} : { seal }),
    ...(brand_slug === undefined ? {} : { brand_slug }),
    expected_info: { ...(source ? { source } : {}), subject },
  };
  return { request, by, ...(template ? { template: { ...template, retentionDays: retention_days ?? null } } : {}) };
}
