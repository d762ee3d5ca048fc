import { useEffect, useRef } from 'react';

/** Names the page, in the browser's tab too, and takes the focus there when the person comes from another page. */
export function PageTitle({ children, intro }: { children: string; intro?: string | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Firsthand`;
  }, [children]);
  useEffect(() => {
    // Nothing is taken away from a field that is focused by itself.
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, []);
  return (
    <header className="page-title stack">
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {intro !== undefined && <p className="soft">{intro}</p>}
    </header>
  );
}
