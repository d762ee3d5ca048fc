import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { useWords } from '../base/language.tsx';
import { Icon, type IconName } from '../base/parts/icon.tsx';

export const BULK = ['bulk-acts'] as const;

const LOOK: Record<BulkAction['state'], [IconName, string]> = {
  queued: ['time', ''],
  collecting: ['time', ''],
  running: ['time', ''],
  completed: ['check', 'verified'],
  cancelled: ['cross', ''],
};

export const isUnderWay = ({ state }: BulkAction): boolean => state !== 'completed' && state !== 'cancelled';

export function BulkTag({ of }: { of: BulkAction }) {
  const { t } = useWords();
  const [icon, meaning] = LOOK[of.state];
  return (
    <span className={`tag ${meaning}`}>
      <Icon name={icon} />
      {t(`bulk.${of.state}`)}
    </span>
  );
}
