import type { BulkAct } from '@firsthand/contract/batches/bulk-acts.ts';
import { useWords } from '../base/language.tsx';
import { type Look, Tag } from '../base/parts/shown.tsx';

export const BULK = ['bulk-acts'] as const;

const LOOK: Record<BulkAct['state'], Look> = {
  queued: ['time', ''],
  collecting: ['time', ''],
  running: ['time', ''],
  completed: ['check', 'verified'],
  cancelled: ['cross', ''],
};

export const isUnderWay = ({ state }: BulkAct): boolean => state !== 'completed' && state !== 'cancelled';

export function BulkTag({ of }: { of: BulkAct }) {
  const { t } = useWords();
  return <Tag look={LOOK[of.state]}>{t(`bulk.${of.state}`)}</Tag>;
}
