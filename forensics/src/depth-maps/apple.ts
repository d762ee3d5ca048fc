import { FieldList } from '../files/metadata/fields.ts';
import { readXmp } from '../files/metadata/xmp.ts';
import type { Scale } from './levels.ts';

/**
 * Reads the meaning of an Apple auxiliary picture's levels from its XMP; undefined when it is no depth map (gain map,
 * portrait matte). Disparities are in 1/m, from `FloatMinValue` to `FloatMaxValue`. Older files give no range.
 */
export function appleScale(packet: string): Scale | undefined {
  const fields = new FieldList();
  readXmp(packet, fields);
  const value = (name: string) => fields.fields.find(field => field.name === `apdi:${name}`)?.value;
  if (value('AuxiliaryImageSubType')) return undefined;
  const type = value('AuxiliaryImageType');
  if (type !== 'disparity' && type !== 'depth') return undefined;
  const [low, high] = [value('FloatMinValue'), value('FloatMaxValue')];
  const range = low !== undefined && high !== undefined ? { bottom: Number(low), top: Number(high) } : {};
  return { kind: type === 'disparity' ? 'inverse' : 'distance', ...range };
}
