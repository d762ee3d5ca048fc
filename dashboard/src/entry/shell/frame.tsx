import type { Me } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useWords } from '../../base/language.tsx';
import { WorksWithApi } from '../../base/parts/curl-menu.tsx';
import { Icon, Logo } from '../../base/parts/icon.tsx';
import { Failed, Loading } from '../../base/parts/states.tsx';
import { SaidProvider } from '../../base/parts/toasts.tsx';
import { useMe } from '../session/me.ts';
import { SignInAgain } from '../session/sign-in-again.tsx';
import { SignedIn } from '../session/signed-in.ts';
import { AccountMenu } from './account-menu.tsx';
import { GlobalKeys } from './global-keys.tsx';
import { InMode } from './mode.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { groupsFor, type MenuPage, pagesFor } from './pages.ts';

/** The page of the menu that an address belongs to: the longest that it begins with. */
const pageOf = (path: string, pages: readonly MenuPage[]) =>
  pages
    .map(page => page.path)
    .filter(page => path === page || (page !== '/' && path.startsWith(`${page}/`)))
    .sort((a, b) => b.length - a.length)[0];

/** The frame around each page: navigation, the live/test switch and the account menu. `load` loads the code of a page. */
export default function Frame({ children, load }: { children: ReactNode; load: (path: string) => Promise<void> }) {
  const { t } = useWords();
  const me = useMe();
  const [path] = useLocation();
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setOpen(false), [path]);
  if (!me.data) {
    return (
      <main className="sole">
        {me.error ? <Failed only error={me.error} onRetry={() => void me.refetch()} /> : <Loading />}
      </main>
    );
  }
  const { role, livemode } = me.data.tenant;
  // A case takes the whole window; the menu opens over it.
  const full = path === '/review';
  return (
    <SignedIn.Provider value={me.data}>
      <SaidProvider>
        <WorksWithApi.Provider value={hasRole(role, 'member')}>
          <div className="frame" data-mode={livemode ? 'live' : 'test'} data-full={full}>
            <a className="skip button main" href="#page">
              {t('frame.skip')}
            </a>
            <header className="bar">
              <button
                type="button"
                className="button plain menu-button"
                aria-expanded={open}
                aria-controls="pages"
                aria-label={t('frame.pages')}
                onClick={() => setOpen(!open)}
              >
                <Icon name={open ? 'cross' : 'menu'} />
              </button>
              <Link href="/" className="home-link">
                <Logo />
              </Link>
              <ModeSwitch />
              <AccountMenu />
            </header>
            <Pages role={role} open={open} load={load} />
            {/* Another account or mode is another page: nothing of the old one stays on screen. */}
            <main id="page" className="page stack" tabIndex={-1} key={`${me.data.tenant.id} ${livemode}`}>
              <InMode>{children}</InMode>
            </main>
          </div>
          <SignInAgain />
          <GlobalKeys />
        </WorksWithApi.Provider>
      </SaidProvider>
    </SignedIn.Provider>
  );
}

interface PagesProps {
  role: Me['tenant']['role'];
  open: boolean;
  load: (path: string) => Promise<void>;
}

/** The menu of pages that the role opens. */
function Pages({ role, open, load }: PagesProps) {
  const { t } = useWords();
  const [path] = useLocation();
  const here = pageOf(path, pagesFor(role));
  /** The person is about to open a page. A failure shows when it is opened. */
  const soon = (page: string) => void load(page).catch(() => undefined);
  return (
    <nav id="pages" className="pages" aria-label={t('frame.pages')} data-open={open}>
      {groupsFor(role).map(({ label, pages }) => (
        <div key={label ?? ''} className="page-group">
          {label && <h2 id={label}>{t(label)}</h2>}
          <ul aria-labelledby={label}>
            {pages.map(page => (
              <li key={page.path}>
                <Link
                  href={page.path}
                  aria-current={page.path === here ? 'page' : undefined}
                  onPointerEnter={() => soon(page.path)}
                  onFocus={() => soon(page.path)}
                >
                  <Icon name={page.icon} />
                  {t(page.label)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
