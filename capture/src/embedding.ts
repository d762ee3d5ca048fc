import {
  type CaptureErrorCode,
  type CaptureEvent,
  PROTOCOL_VERSION,
  type ResizeEvent,
} from '@firsthand/sdk/element/messages.ts';
import type { End } from './flow.ts';

type Bridges = {
  ReactNativeWebView?: { postMessage(text: string): void };
  webkit?: { messageHandlers?: { firsthand?: { postMessage(message: unknown): void } } };
  /** A web message listener of Android, or a JavaScript channel of Flutter, by the name `firsthand`. */
  firsthand?: { postMessage?(text: string): void };
};

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=firsthand-${name}]`)?.content;

const CODES: Record<Exclude<End, 'completed' | 'reviewing'>, CaptureErrorCode> = {
  unknown: 'not_found',
  expired: 'expired',
  withdrawn: 'cancelled',
  failed: 'failed',
  redacted: 'redacted',
  revoked: 'revoked',
  staff: 'forbidden',
};

/** The address of the last screen's button. The service has checked it against the account's origins. */
export const returnUrl = meta('return');

/** In a frame of another site; the dashboard's preview is one of our own. */
export const isFramed = window.parent !== window && meta('preview') === undefined;

/** The capture link itself, without what the page around added. */
export const ownLink = (): string => `${location.origin}${location.pathname}`;

/** The language that the page around asks for. */
export const askedLanguage = (): string[] => {
  const language = new URLSearchParams(location.search).get('lang');
  return language ? [language] : [];
};

/** The origin of the page around: named in the address or told by the browser, and allowed by the account. */
function parentOrigin(): string | undefined {
  if (!isFramed) return undefined;
  const allowed = meta('origins')?.split(' ') ?? [];
  const named = new URLSearchParams(location.search).get('embed') ?? location.ancestorOrigins?.[0];
  return named !== undefined && allowed.includes(named) ? named : undefined;
}

/** Tells the page or app around what happens here. The page listens to nobody. */
export function createHost() {
  const origin = parentOrigin();
  const bridges = window as unknown as Bridges;
  let told = '';

  const post = (event: CaptureEvent | ResizeEvent) => {
    const message = { source: 'firsthand', version: PROTOCOL_VERSION, ...event } as const;
    if (origin) parent.postMessage(message, origin);
    // An app's web view hears only of events: it has no frame to resize.
    if (isFramed || event.type === 'resize') return;
    try {
      bridges.ReactNativeWebView?.postMessage(JSON.stringify(message));
      bridges.webkit?.messageHandlers?.firsthand?.postMessage(message);
      bridges.firsthand?.postMessage?.(JSON.stringify(message));
    } catch (error) {
      // A fault of the app must not stop the person.
      console.warn(error);
    }
  };
  const tell = (event: CaptureEvent) => {
    const text = JSON.stringify(event);
    if (text === told) return;
    told = text;
    post(event);
  };

  if (origin) growWithContent(document.getElementById('app')!, post);
  return {
    tell,
    ended: (end: End) =>
      tell(end === 'completed' || end === 'reviewing' ? { type: 'completed' } : { type: 'error', code: CODES[end] }),
  };
}

export type Host = ReturnType<typeof createHost>;

function growWithContent(app: HTMLElement, post: (event: ResizeEvent) => void): void {
  document.documentElement.dataset.framed = 'yes';
  let told = '';
  const measure = () => {
    // The camera and the review cover the frame and have no height of their own.
    const fill = app.querySelector('.viewfinder, .review') !== null;
    const event: ResizeEvent = { type: 'resize', height: Math.ceil(app.getBoundingClientRect().height), fill };
    if (event.height === 0 && !fill) return;
    if (JSON.stringify(event) === told) return;
    told = JSON.stringify(event);
    post(event);
  };
  new ResizeObserver(measure).observe(app);
  new MutationObserver(measure).observe(app, { childList: true, subtree: true });
}
