import { ROOT } from '@firsthand/look/root.ts';
import { type CaptureClient, createCaptureClient } from '@firsthand/sdk/capture/client.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { type CaptureStore, openStore } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import { render } from 'preact';
import { useEffect, useErrorBoundary, useMemo, useState } from 'preact/hooks';
import { App } from './app.tsx';
import { applyBrand } from './brand.ts';
import { createHost } from './embedding.ts';
import { type End, endOfError } from './flow.ts';
import { useLanguage } from './language.ts';
import { Page, type PageContext, usePage } from './page-context.ts';
import { platformOf } from './platform.ts';
import { createReporter, type Reporter } from './progress.ts';
import { Broken, EndScreen, Unreachable } from './screens/end-screens.tsx';

type Load =
  | { state: 'loading' }
  | { state: 'unreachable' }
  | { state: 'end'; end: End }
  | { state: 'open'; client: CaptureClient; store: CaptureStore; reporter: Reporter; view: CaptureView };

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;
const apiBase = meta('firsthand-api') ?? ROOT;
/** Set by the service when the address has no verification, for example a revoked link template. */
const end = meta('firsthand-end') as End | undefined;
const host = createHost();
const [, , token = ''] = location.pathname.slice(ROOT.length).split('/');

async function load(): Promise<Load> {
  if (end) return { state: 'end', end };
  const client = createCaptureClient({ token, baseUrl: apiBase });
  try {
    const [view, store] = await Promise.all([client.view(), openStore()]);
    const total = view.config.steps.length;
    const reporter = createReporter(client, {
      step: ({ step, step_index: index }) =>
        host.tell({ type: 'step', step, ...(index === undefined ? {} : { index }), total }),
      left: () => host.tell({ type: 'abandoned' }),
    });
    return { state: 'open', client, store, view, reporter };
  } catch (error) {
    const told = endOfError(error);
    if (told) return { state: 'end', end: told };
    if (error instanceof ApiError && error.code === 'forbidden') return { state: 'end', end: 'staff' };
    return { state: 'unreachable' };
  }
}

function Root() {
  const { translator, setLanguage, describe } = useLanguage();
  const [loaded, setLoaded] = useState<Load>({ state: 'loading' });
  const [said, setSaid] = useState('');
  const [broken] = useErrorBoundary(error => {
    console.error(error);
    host.tell({ type: 'error', code: 'broken' });
  });
  const platform = useMemo(() => platformOf(navigator.userAgent, navigator.maxTouchPoints), []);
  const start = () => {
    setLoaded({ state: 'loading' });
    void load().then(next => {
      if (next.state === 'unreachable') host.tell({ type: 'error', code: 'unreachable' });
      else host.tell({ type: 'ready' });
      if (next.state === 'end') host.ended(next.end);
      setLoaded(next);
    });
  };
  useEffect(start, []);
  const view = loaded.state === 'open' ? loaded.view : undefined;
  const brand = view?.brand;
  useEffect(() => applyBrand(brand), [brand]);

  if (!translator) return <div class="loading" />;
  const context: PageContext = {
    ...translator,
    setLanguage,
    describe,
    brand,
    trial: view?.trial ?? false,
    platform,
    announce: setSaid,
  };
  return (
    <Page.Provider value={context}>
      {broken ? (
        <Broken />
      ) : (
        <Loaded
          loaded={loaded}
          onRetry={start}
          onUnknown={() => {
            host.ended('unknown');
            setLoaded({ state: 'end', end: 'unknown' });
          }}
        />
      )}
      <div class="unseen" role="status">
        {said}
      </div>
    </Page.Provider>
  );
}

type LoadedProps = { loaded: Load; onRetry: () => void; onUnknown: () => void };

function Loaded({ loaded, onRetry, onUnknown }: LoadedProps) {
  const { t } = usePage();
  switch (loaded.state) {
    case 'loading':
      return (
        <p class="loading unseen" role="status">
          {t('loading.title')}
        </p>
      );
    case 'unreachable':
      return <Unreachable onRetry={onRetry} />;
    case 'end':
      return <EndScreen end={loaded.end} view={undefined} />;
    case 'open': {
      const { client, store, reporter, view } = loaded;
      return <App {...{ client, store, reporter, host, onUnknown }} firstView={view} />;
    }
  }
}

const root = document.getElementById('app')!;
if (meta('firsthand-preview')) void import('./preview.tsx').then(({ showPreview }) => showPreview(root));
else render(<Root />, root);
