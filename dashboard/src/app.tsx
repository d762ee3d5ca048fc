import { QueryClientProvider } from '@tanstack/react-query';
import { Component, lazy, type ReactNode, Suspense } from 'react';
import { Link, Route, Router, Switch } from 'wouter';
import { LanguageProvider, useWords } from './language.tsx';
import { Button } from './parts/button.tsx';
import { PageTitle } from './parts/page.tsx';
import { Empty, Loading } from './parts/states.tsx';
import { queryClient } from './session/query-client.ts';
import { BASE } from './session/return-to.ts';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { SignedInPage } from './sign-in/signed-in-page.tsx';

const Frame = lazy(() => import('./shell/frame.tsx'));
const HomePage = lazy(() => import('./home/home-page.tsx'));
const AccountPage = lazy(() => import('./account/account-page.tsx'));
const VerificationsPage = lazy(() => import('./verifications/verifications-page.tsx'));
const VerificationPage = lazy(() => import('./verification/verification-page.tsx'));
const ReviewPage = lazy(() => import('./review/review-page.tsx'));
const ReplayPage = lazy(() => import('./replay/replay-page.tsx'));
const WebhooksPage = lazy(() => import('./webhooks/webhooks-page.tsx'));
const SettingsPage = lazy(() => import('./settings/settings-page.tsx'));
const AuditPage = lazy(() => import('./audit/audit-page.tsx'));
const BrandsPage = lazy(() => import('./brands/brands-page.tsx'));
const ComparePage = lazy(() => import('./compare/compare-page.tsx'));
const SystemPage = lazy(() => import('./system/system-page.tsx'));
const IssuePage = lazy(() => import('./issue/issue-page.tsx'));
const TemplatesPage = lazy(() => import('./templates/templates-page.tsx'));
const TemplatePage = lazy(() => import('./templates/template-page.tsx'));
const BatchesPage = lazy(() => import('./batches/batches-page.tsx'));
const NewBatchPage = lazy(() => import('./batches/new-batch-page.tsx'));
const BatchPage = lazy(() => import('./batches/batch-page.tsx'));
const BulkActsPage = lazy(() => import('./bulk/bulk-acts-page.tsx'));
const BulkActPage = lazy(() => import('./bulk/bulk-act-page.tsx'));
const StatisticsPage = lazy(() => import('./statistics/statistics-page.tsx'));
const PeoplePage = lazy(() => import('./people/people-page.tsx'));

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
                <Frame>
                  <Suspense fallback={<Loading />}>
                    <Switch>
                      <Route path="/" component={HomePage} />
                      <Route path="/review" component={ReviewPage} />
                      <Route path="/review/replay" component={ReplayPage} />
                      <Route path="/verifications" component={VerificationsPage} />
                      <Route path="/verifications/:id" component={VerificationPage} />
                      <Route path="/webhooks" component={WebhooksPage} />
                      <Route path="/settings" component={SettingsPage} />
                      <Route path="/audit" component={AuditPage} />
                      <Route path="/brands" component={BrandsPage} />
                      <Route path="/compare" component={ComparePage} />
                      <Route path="/system" component={SystemPage} />
                      <Route path="/issue" component={IssuePage} />
                      <Route path="/templates" component={TemplatesPage} />
                      <Route path="/templates/:id" component={TemplatePage} />
                      <Route path="/batches" component={BatchesPage} />
                      <Route path="/batches/new" component={NewBatchPage} />
                      <Route path="/batches/:id" component={BatchPage} />
                      <Route path="/bulk-acts" component={BulkActsPage} />
                      <Route path="/bulk-acts/:id" component={BulkActPage} />
                      <Route path="/statistics" component={StatisticsPage} />
                      <Route path="/account" component={AccountPage} />
                      <Route path="/settings/people" component={PeoplePage} />
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
  <main className="alone">
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
    <main className="alone">
      <Empty alone icon="doubt" title={t('state.broken')}>
        <p role="alert">{t('state.brokenText')}</p>
        <Button onPress={() => location.reload()}>{t('common.reload')}</Button>
      </Empty>
    </main>
  );
}
