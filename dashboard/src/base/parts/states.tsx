import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import type { ReactNode } from 'react';
import { problemText } from '../api/problem-text.ts';
import { useWords } from '../language.tsx';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { PageHeading } from './page.tsx';

interface EmptyProps {
  icon: IconName;
  title: string;
  /** It is all there is on the page. */
  only?: boolean;
  children?: ReactNode;
}

/** A part of the page that has nothing else to show: why, and what to do. */
export const Empty = ({ icon, title, only = false, children }: EmptyProps) => (
  <div className="empty stack">
    <Icon name={icon} />
    {only ? <PageHeading>{title}</PageHeading> : <h2>{title}</h2>}
    {children}
  </div>
);

export function Loading() {
  const { t } = useWords();
  return (
    <div className="loading stack" role="status">
      <span className="unseen">{t('state.loading')}</span>
      <span className="bone wide" />
      <span className="bone" />
      <span className="bone short" />
    </div>
  );
}

interface NoticeProps {
  look: 'verified' | 'doubtful' | 'failed' | 'info';
  icon?: IconName;
  role?: 'status' | 'alert';
  children: ReactNode;
}

/** Something to know before the rest of the page. */
export const Notice = ({ look, icon, role, children }: NoticeProps) => (
  <p className={`notice ${look}`} role={role}>
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </p>
);

/** An error message that screen readers announce at once. */
export function Problem({ error }: { error: unknown }) {
  const words = useWords();
  if (!error) return null;
  return (
    <Notice look="failed" icon="doubt" role="alert">
      {problemText(words, error)}
    </Notice>
  );
}

/** In the place of what could not be read. */
export function Failed({ error, onRetry, only = false }: { error: unknown; onRetry: () => void; only?: boolean }) {
  const words = useWords();
  if (error instanceof ApiError && error.code === 'forbidden') return <NoPermission />;
  return (
    <Empty icon="offline" title={words.t('state.failed')} only={only}>
      <p role="alert">{problemText(words, error)}</p>
      <Button onPress={onRetry}>{words.t('common.tryAgain')}</Button>
    </Empty>
  );
}

export function NoPermission() {
  const { t } = useWords();
  return (
    <Empty icon="lock" title={t('state.noPermission')}>
      <p>{t('state.noPermissionText')}</p>
    </Empty>
  );
}

interface ReadProps<Data> {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  /** It is all there is on the page until it is read. */
  only?: boolean;
  children: (data: Data) => ReactNode;
}

/** Shows what a query read, and what to show until then or instead. */
export function Read<Data>({ query, only = false, children }: ReadProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} only={only} />;
  return <Loading />;
}
