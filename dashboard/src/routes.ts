/** The parts of a dictionary. `base` has the words of the frame and of the sign-in page, and what several pages share. */
export type Area = 'base' | 'cases' | 'lists' | 'requests' | 'outcomes' | 'account';

/** Each page within the frame: its path, its file and the words it needs beside `base`. The first pattern that fits is the page of an address. */
export const ROUTES = [
  ['/', 'home/home-page.tsx', []],
  ['/review', 'review/review-page.tsx', ['cases']],
  ['/review/replay', 'replay/replay-page.tsx', ['cases']],
  ['/verifications', 'verifications/verifications-page.tsx', ['lists']],
  ['/verifications/:id', 'verification/verification-page.tsx', ['cases', 'outcomes']],
  ['/webhooks', 'webhooks/webhooks-page.tsx', ['outcomes']],
  ['/settings', 'settings/settings-page.tsx', ['account']],
  ['/audit', 'audit/audit-page.tsx', ['account']],
  ['/brands', 'brands/brands-page.tsx', ['requests']],
  ['/compare', 'compare/compare-page.tsx', ['cases']],
  ['/system', 'system/system-page.tsx', ['account']],
  ['/issue', 'issue/issue-page.tsx', ['requests']],
  ['/templates', 'templates/templates-page.tsx', ['requests']],
  ['/templates/:id', 'templates/template-page.tsx', ['requests']],
  ['/batches', 'batches/batches-page.tsx', ['requests']],
  ['/batches/new', 'batches/new-batch-page.tsx', ['requests']],
  ['/batches/:id', 'batches/batch-page.tsx', ['requests']],
  ['/bulk-acts', 'bulk/bulk-acts-page.tsx', ['lists']],
  ['/bulk-acts/:id', 'bulk/bulk-act-page.tsx', ['lists']],
  ['/statistics', 'statistics/statistics-page.tsx', ['outcomes']],
  ['/account', 'account/account-page.tsx', ['account']],
  ['/settings/people', 'people/people-page.tsx', ['account']],
] as const satisfies readonly (readonly [path: string, file: string, areas: readonly Area[]])[];
