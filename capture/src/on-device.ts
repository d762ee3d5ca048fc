import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';

/** Everything held on this device for the verification, as read from the store. */
export type OnDevice = { captures: HeldCapture[]; answers: Record<string, string> };
