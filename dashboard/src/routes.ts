import type { Area } from './base/dictionaries.ts';

/** Each page within the frame: its path, its file and the words it needs beside `base`. The first pattern that fits is the page of an address. */
export const ROUTES = [
  ['/', 'home/home-page.tsx', ['outcomes', 'account']],
  ['/review', 'case/review/review-page.tsx', ['cases']],
  ['/review/replay', 'case/replay/replay-page.tsx', ['cases']],
  ['/verifications', 'verifications/verifications-page.tsx', ['lists']],
  ['/verifications/:id', 'case/verification/verification-page.tsx', ['cases', 'outcomes']],
  ['/webhooks', 'admin/webhooks/webhooks-page.tsx', ['outcomes']],
  ['/settings', 'admin/settings/settings-page.tsx', ['account']],
  ['/audit', 'admin/audit/audit-page.tsx', ['account']],
  ['/brands', 'admin/brands/brands-page.tsx', ['requests']],
  ['/compare', 'case/compare/compare-page.tsx', ['cases']],
  ['/system', 'admin/system/system-page.tsx', ['account']],
  ['/issue', 'issue/issue-page.tsx', ['requests']],
  ['/templates', 'templates/templates-page.tsx', ['requests']],
  ['/templates/:id', 'templates/template-page.tsx', ['requests']],
  ['/batches', 'batches/batches-page.tsx', ['requests']],
  ['/batches/new', 'batches/new-batch-page.tsx', ['requests']],
  ['/batches/:id', 'batches/batch-page.tsx', ['requests']],
  ['/bulk-acts', 'bulk/bulk-actions-page.tsx', ['lists']],
  ['/bulk-acts/:id', 'bulk/bulk-action-page.tsx', ['lists']],
  ['/statistics', 'statistics/statistics-page.tsx', ['outcomes']],
  ['/account', 'admin/account/account-page.tsx', ['account']],
  ['/settings/people', 'admin/people/people-page.tsx', ['account']],
] as const satisfies readonly (readonly [path: string, file: string, areas: readonly Area[]])[];
