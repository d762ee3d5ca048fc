import { useWords } from '../language.tsx';
import { Button } from './button.tsx';

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
