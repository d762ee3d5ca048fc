import type { ReactNode } from 'react';
import { useMoments } from './date-times.ts';
import { Icon, type IconName } from './icon.tsx';

/** A pictogram, and the meaning that gives its colour. */
export type Look = readonly [icon: IconName, meaning: 'verified' | 'doubtful' | 'failed' | ''];

/** A state in a word. */
export const Tag = ({ look: [icon, meaning], children }: { look: Look; children: ReactNode }) => (
  <span className={`tag ${meaning}`}>
    <Icon name={icon} />
    {children}
  </span>
);

/** A moment as a person says it; the exact one for whoever points at it. */
export function Ago({ at }: { at: string }) {
  const { ago, exactly } = useMoments();
  return (
    <time dateTime={at} title={exactly(at)}>
      {ago(at)}
    </time>
  );
}

export type Fact = readonly [name: string, value: ReactNode];

interface FactsProps {
  facts: readonly Fact[];
  /** Classes. */
  look?: string;
  /** Each on a card of its own. */
  card?: boolean;
  /** The class of the values. */
  value?: string;
}

/** Names with their values. */
export const Facts = ({ facts, look = 'facts', card = false, value: values }: FactsProps) => (
  <dl className={look}>
    {facts.map(([name, value], index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two facts may have one name, and none moves
      <div key={index} className={card ? 'card' : undefined}>
        <dt>{name}</dt>
        <dd className={values}>{value}</dd>
      </div>
    ))}
  </dl>
);

interface TableProps {
  heads: readonly string[];
  /** More classes. */
  look?: string;
  role?: 'alert';
  label?: string;
  children: ReactNode;
}

/** A table with a heading over each column. */
export const Table = ({ heads, look = '', role, label, children }: TableProps) => (
  <table className={`table ${look}`} role={role} aria-label={label}>
    <thead>
      <tr>
        {heads.map(head => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

/** How far a long job has come. */
export function Progress({ label, done, of }: { label: string; done: number; of: number }) {
  return (
    <progress className="progress" aria-label={label} max={Math.max(1, of)} value={Math.min(done, Math.max(1, of))} />
  );
}
