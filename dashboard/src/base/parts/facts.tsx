import type { ReactNode } from 'react';

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
