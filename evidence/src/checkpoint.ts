import { base64, fromBase64, fromDecimal } from './bytes.ts';
import { NoteFault } from './note.ts';

/** The head of a log (c2sp.org/tlog-checkpoint): the text of a signed note. */
export interface Checkpoint {
  origin: string;
  size: bigint;
  root: Uint8Array;
}

export const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${base64(root)}\n`;

/** Reads the text of a checkpoint's note; extension lines are let pass. Throws {@link NoteFault}. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin, sizeLine, rootLine, ...extensions] = text.slice(0, -1).split('\n');
  const size = fromDecimal(sizeLine ?? '');
  const root = fromBase64(rootLine ?? '');
  if (!origin) throw new NoteFault('the checkpoint names no origin');
  if (size === null) throw new NoteFault('the second line of a checkpoint is a tree size');
  if (root?.length !== 32) throw new NoteFault('the third line of a checkpoint is a SHA-256 root in base64');
  if (extensions.includes('')) throw new NoteFault('an extension line of the checkpoint is empty');
  return { origin, size, root };
}
