import { Fragment, type ReactNode } from 'react';
import { useWords } from '../language.tsx';
import { Button } from './button.tsx';
import { Read } from './states.tsx';

interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/** The button below a list that reads its next page; nothing where the list is whole. */
export function More({ list }: { list: Paged }) {
  const { t } = useWords();
  if (!list.hasNextPage) return null;
  return (
    <Button busy={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
      {t('common.more')}
    </Button>
  );
}

interface RowsProps<Item> {
  list: Paged & { data: Item[] | undefined; error: unknown; refetch: () => unknown };
  /** Its name, where it is a card of its own. */
  label?: string;
  /** In its place where it has no rows. */
  none?: ReactNode;
  children: (item: Item) => ReactNode;
}

/** The rows of a list that is read page by page. */
export const Rows = <Item extends { id: string }>({ list, label, none, children }: RowsProps<Item>) => (
  <Read query={list}>
    {items => {
      if (items.length === 0 && none !== undefined) return none;
      const rows = (
        <>
          <ul className="rows">
            {items.map(item => (
              <Fragment key={item.id}>{children(item)}</Fragment>
            ))}
          </ul>
          <More list={list} />
        </>
      );
      if (label === undefined) return rows;
      return (
        <section className="card section stack" aria-label={label}>
          {rows}
        </section>
      );
    }}
  </Read>
);
