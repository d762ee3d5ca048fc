import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { useWords } from '../base/language.tsx';
import { type Look, Tag } from '../base/parts/shown.tsx';

export const BATCHES = ['batches'] as const;

const LOOK: Record<Batch['state'], Look> = {
  queued: ['time', ''],
  running: ['time', ''],
  completed: ['check', 'verified'],
  cancelled: ['cross', ''],
};

export const isUnderWay = ({ state }: Batch): boolean => state === 'queued' || state === 'running';

export function BatchTag({ of }: { of: Batch }) {
  const { t } = useWords();
  return <Tag look={LOOK[of.state]}>{t(`batch.${of.state}`)}</Tag>;
}
