import { type ComponentType, lazy, type ReactNode, useState } from 'react';

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/**
 * A part whose code is loaded when it is first shown, or before by `load`. A part that is already there is shown at once:
 * `lazy` would show the fallback first, and React keeps a fallback for 300 ms.
 */
function part<P extends object>(load: Load<P>) {
  let there: ComponentType<P> | undefined;
  const keep = async () => {
    const loaded = await load();
    there = loaded.default;
    return loaded;
  };
  const Later = lazy(keep) as unknown as ComponentType<P>;
  const Part = (props: P) => {
    const [Shown] = useState(() => there ?? Later);
    return <Shown {...props} />;
  };
  return Object.assign(Part, { load: () => keep().then(() => undefined) });
}

export const Frame = part<{ children: ReactNode; load: typeof loadPage }>(() => import('./shell/frame.tsx'));

/** Every page within the frame. The first pattern that fits an address is its page. */
export const PAGES = [
  ['/', part(() => import('./home/home-page.tsx'))],
  ['/review', part(() => import('./review/review-page.tsx'))],
  ['/review/replay', part(() => import('./replay/replay-page.tsx'))],
  ['/verifications', part(() => import('./verifications/verifications-page.tsx'))],
  ['/verifications/:id', part(() => import('./verification/verification-page.tsx'))],
  ['/webhooks', part(() => import('./webhooks/webhooks-page.tsx'))],
  ['/settings', part(() => import('./settings/settings-page.tsx'))],
  ['/audit', part(() => import('./audit/audit-page.tsx'))],
  ['/brands', part(() => import('./brands/brands-page.tsx'))],
  ['/compare', part(() => import('./compare/compare-page.tsx'))],
  ['/system', part(() => import('./system/system-page.tsx'))],
  ['/issue', part(() => import('./issue/issue-page.tsx'))],
  ['/templates', part(() => import('./templates/templates-page.tsx'))],
  ['/templates/:id', part(() => import('./templates/template-page.tsx'))],
  ['/batches', part(() => import('./batches/batches-page.tsx'))],
  ['/batches/new', part(() => import('./batches/new-batch-page.tsx'))],
  ['/batches/:id', part(() => import('./batches/batch-page.tsx'))],
  ['/bulk-acts', part(() => import('./bulk/bulk-acts-page.tsx'))],
  ['/bulk-acts/:id', part(() => import('./bulk/bulk-act-page.tsx'))],
  ['/statistics', part(() => import('./statistics/statistics-page.tsx'))],
  ['/account', part(() => import('./account/account-page.tsx'))],
  ['/settings/people', part(() => import('./people/people-page.tsx'))],
] as const;

const fits = (pattern: string, path: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}/?$`).test(path);

/** Loads the code of the page at a path within the dashboard, if there is one. */
export const loadPage = async (path: string): Promise<void> =>
  PAGES.find(([pattern]) => fits(pattern, path))?.[1].load();
