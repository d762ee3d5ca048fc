import { useEffect, useRef } from 'react';

/** The address of the page that was named last. */
let named: string | undefined;

/** Whether the focus may go to the heading: nothing is taken away from a field of the page, or from a switch that keeps the page. */
function takesFocus(): boolean {
  const { activeElement: focused, body } = document;
  if (!focused || focused === body) return true;
  return named !== location.pathname && !document.getElementById('page')?.contains(focused);
}

/** Names the page, in the browser's tab too, and takes the focus there when the person comes from another page. */
export function PageHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Firsthand`;
  }, [children]);
  useEffect(() => {
    if (takesFocus()) heading.current?.focus();
    named = location.pathname;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

export const PageTitle = ({ children, intro }: { children: string; intro?: string | undefined }) => (
  <header className="page-title stack">
    <PageHeading>{children}</PageHeading>
    {intro !== undefined && <p className="soft">{intro}</p>}
  </header>
);
