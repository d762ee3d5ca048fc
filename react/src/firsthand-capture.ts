import {
  defineFirsthandCapture,
  type FirsthandCapture as Element,
  type FirsthandCaptureEventMap,
} from '@firsthand/sdk/element';
import { createElement, type ReactElement, useEffect, useRef } from 'react';

type Detail<T extends keyof FirsthandCaptureEventMap> = FirsthandCaptureEventMap[T]['detail'];

export interface FirsthandCaptureProps {
  /** The verification's id. Nothing shows until there is one. */
  token?: string;
  /** The service's address. */
  baseUrl: string;
  returnUrl?: string;
  language?: string;
  /** The frame's name for screen readers. */
  label?: string;
  className?: string;
  onReady?: () => void;
  onStep?: (detail: Detail<'step'>) => void;
  onCompleted?: () => void;
  onAbandoned?: () => void;
  onError?: (detail: Detail<'error'>) => void;
}

/** The capture page in a React page: `<firsthand-capture>` with its events as props. Renders on a server too. */
export function FirsthandCapture(props: FirsthandCaptureProps): ReactElement {
  const element = useRef<Element>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const end = new AbortController();
    const { signal } = end;
    target.addEventListener('ready', () => latest.current.onReady?.(), { signal });
    target.addEventListener('step', ({ detail }) => latest.current.onStep?.(detail), { signal });
    target.addEventListener('completed', () => latest.current.onCompleted?.(), { signal });
    target.addEventListener('abandoned', () => latest.current.onAbandoned?.(), { signal });
    target.addEventListener('error', ({ detail }) => latest.current.onError?.(detail), { signal });
    defineFirsthandCapture();
    return () => end.abort();
  }, []);
  const { token, baseUrl, returnUrl, language, label, className } = props;
  return createElement('firsthand-capture', {
    ref: element,
    token,
    'base-url': baseUrl,
    'return-url': returnUrl,
    language,
    label,
    class: className,
  });
}
