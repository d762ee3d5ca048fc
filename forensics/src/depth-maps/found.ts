import type { DepthMap } from './planarity.ts';

export interface FoundDepthMap {
  source: 'apple_disparity' | 'gdepth' | 'dynamic_depth';
  map: DepthMap;
}
