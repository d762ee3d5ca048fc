import type { BrandView } from '../verification/verification.ts';
import type { Step } from './steps.ts';

/** What the dashboard sends to the capture page in its frame, again at each change: what a person would see of a request. */
export interface Previewed {
  steps: Step[];
  /** The step to show; -1 for the first screen. */
  at: number;
  location: boolean;
  brand?: BrandView;
  expiresAt: string;
}
