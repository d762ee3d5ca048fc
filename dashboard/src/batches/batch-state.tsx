import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { useWords } from '../base/language.tsx';
import { Icon, type IconName } from '../base/parts/icon.tsx';

export const BATCHES = ['batches'] as const;

const LOOK: Record<Batch['state'], [IconName, string]> = {
  queued: ['time', ''],
  running: ['time', ''],
  completed: ['check', 'verified'],
  cancelled: ['cross', ''],
};

export const isUnderWay = ({ state }: Batch): boolean => state === 'queued' || state === 'running';

export function BatchTag({ of }: { of: Batch }) {
  const { t } = useWords();
  const [icon, meaning] = LOOK[of.state];
  return (
    <span className={`tag ${meaning}`}>
      <Icon name={icon} />
      {t(`batch.${of.state}`)}
    </span>
  );
}
