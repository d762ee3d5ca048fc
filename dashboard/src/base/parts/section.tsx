import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CurlMenu, type NamedRequest } from './curl-menu.tsx';
import { PageTitle } from './page.tsx';

interface TitleLineProps {
  title: string;
  intro?: string;
  /** The page's requests of the API, as command lines. */
  requests: readonly NamedRequest[];
}

/** The name of a page beside its requests. */
export const TitleLine = ({ title, intro, requests }: TitleLineProps) => (
  <div className="title-line">
    <PageTitle intro={intro}>{title}</PageTitle>
    <CurlMenu requests={requests} />
  </div>
);

/** Leads from a page to the list that it belongs to. */
export const Back = ({ to, children }: { to: string; children: string }) => (
  <p className="small">
    <Link href={to}>{children}</Link>
  </p>
);

interface SectionProps {
  title: string;
  intro?: string | undefined;
  /** What can be done with it. */
  aside?: ReactNode;
  /** Its requests of the API, after `aside`. */
  requests?: readonly NamedRequest[];
  children: ReactNode;
}

/** A part of a page under a heading of its own. */
export const Section = ({ title, intro, aside, requests = [], children }: SectionProps) => (
  <section className="card section stack" aria-label={title}>
    <div className="section-head">
      <div>
        <h2>{title}</h2>
        {intro !== undefined && <p className="soft small">{intro}</p>}
      </div>
      {aside && requests.length > 0 ? (
        <div className="case-actions">
          <CurlMenu requests={requests} />
          {aside}
        </div>
      ) : (
        (aside ?? <CurlMenu requests={requests} />)
      )}
    </div>
    {children}
  </section>
);
