import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { useWords } from '../base/language.tsx';
import { type Look, Tag } from '../base/parts/shown.tsx';

export const BULK = ['bulk-acts'] as const;

const LOOK: Record<BulkAction['state'], Look> = {
  queued: ['time', ''],
  collecting: ['time', ''],
  running: ['time', ''],
  completed: ['check', 'verified'],
  cancelled: ['cross', ''],
};

export const isUnderWay = ({ state }: BulkAction): boolean => state !== 'completed' && state !== 'cancelled';

export function BulkTag({ of }: { of: BulkAction }) {
  const { t } = useWords();
  return <Tag look={LOOK[of.state]}>{t(`bulk.${of.state}`)}</Tag>;
}
