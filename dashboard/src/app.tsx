import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense } from 'react';
import { Link, Route, Router, Switch } from 'wouter';
import { LanguageProvider, useWords } from './base/language.tsx';
import { Button } from './base/parts/button.tsx';
import { PageTitle } from './base/parts/page.tsx';
import { Empty, Loading } from './base/parts/states.tsx';
import { queryClient } from './entry/session/query-client.ts';
import { BASE } from './entry/session/return-to.ts';
import { SignInPage } from './entry/sign-in/sign-in-page.tsx';
import { SignedInPage } from './entry/sign-in/signed-in-page.tsx';
import { Frame, loadPage, PAGES } from './pages.tsx';

export const App = () => (
  <QueryClientProvider client={queryClient}>
    <LanguageProvider>
      <Unbroken>
        <Router base={BASE}>
          <Switch>
            <Route path="/sign-in" component={SignInPage} />
            <Route path="/signed-in" component={SignedInPage} />
            <Route>
              <Suspense fallback={<Alone />}>
                <Frame load={loadPage}>
                  <Suspense fallback={<Loading />}>
                    <Switch>
                      {PAGES.map(([path, Page]) => (
                        <Route key={path} path={path}>
                          <Page />
                        </Route>
                      ))}
                      <Route component={NoSuchPage} />
                    </Switch>
                  </Suspense>
                </Frame>
              </Suspense>
            </Route>
          </Switch>
        </Router>
      </Unbroken>
    </LanguageProvider>
  </QueryClientProvider>
);

const Alone = () => (
  <main className="sole">
    <Loading />
  </main>
);

function NoSuchPage() {
  const { t } = useWords();
  return (
    <>
      <PageTitle>{t('state.noPage')}</PageTitle>
      <p>
        {t('state.noPageText')} <Link href="/">{t('page.home')}</Link>
      </p>
    </>
  );
}

/** A fault of the page itself, or a part of it that cannot be loaded after an update. */
class Unbroken extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };
  static getDerivedStateFromError = () => ({ broken: true });
  override render = () => (this.state.broken ? <Broken /> : this.props.children);
}

function Broken() {
  const { t } = useWords();
  return (
    <main className="sole">
      <Empty only icon="doubt" title={t('state.broken')}>
        <p role="alert">{t('state.brokenText')}</p>
        <Button onPress={() => location.reload()}>{t('common.reload')}</Button>
      </Empty>
    </main>
  );
}
