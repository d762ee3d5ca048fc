import { type ComponentType, lazy, type ReactNode, useState } from 'react';
import { loadWords } from './base/i18n.ts';
import { ROUTES } from './routes.ts';

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

export const Frame = part<{ children: ReactNode; load: typeof loadPage }>(() => import('./entry/shell/frame.tsx'));

const files = import.meta.glob<{ default: ComponentType }>(['./*/*-page.tsx', './*/*/*-page.tsx', '!./entry/**']);

/** Every page within the frame. */
export const PAGES = ROUTES.map(
  ([path, file, areas]) =>
    [
      path,
      part(async () => {
        const [page] = await Promise.all([files[`./${file}`]!(), loadWords(areas)]);
        return page;
      }),
    ] as const,
);

const fits = (pattern: string, path: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}/?$`).test(path);

/** Loads the code of the page at a path within the dashboard, if there is one. */
export const loadPage = async (path: string): Promise<void> =>
  PAGES.find(([pattern]) => fits(pattern, path))?.[1].load();
