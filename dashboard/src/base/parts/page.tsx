import { type ReactNode, useEffect, useRef } from 'react';

/** Names the page, in the browser's tab too, and takes the focus there when the person comes from another page. */
export function PageTitle({ children, intro }: { children: string; intro?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Firsthand`;
  }, [children]);
  useEffect(() => {
    // Nothing is taken away from a field that is focused by itself.
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, []);
  return (
    <header className="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {intro !== undefined && <p className="soft">{intro}</p>}
    </header>
  );
}

/** A part of a page under a heading of its own. `aside`: what can be done with it. */
export const Section = ({
  title,
  intro,
  aside,
  children,
}: {
  title: string;
  intro?: string;
  aside?: ReactNode;
  children: ReactNode;
}) => (
  <section className="card section" aria-label={title}>
    <div className="section-head">
      <div>
        <h2>{title}</h2>
        {intro !== undefined && <p className="soft small">{intro}</p>}
      </div>
      {aside}
    </div>
    {children}
  </section>
);
