import { useEffect, useSyncExternalStore } from 'react';
import type { CaptureState, Controller } from './controller.ts';

/** Runs the controller while the component is mounted. Returns what it shows now. */
export function useController<P>(controller: Controller<P>): CaptureState<P> {
  useEffect(() => controller.start(), [controller]);
  return useSyncExternalStore(controller.subscribe, controller.state, controller.state);
}
