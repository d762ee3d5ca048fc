import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useRef, useState } from 'react';
import { gravest } from '../why/findings.ts';
import type { Part } from './view.ts';
import { NOTHING_LIT, type ViewerHandle } from './viewer.tsx';

/** How much of the heat map is seen after it is switched on, 0 to 1. */
const HEAT_ON = 0.7;

/** Which photo of a case is seen, and how. It begins with the gravest one. */
export function usePhotoView(captures: readonly Capture[]) {
  const [chosen, choose] = useState(() => gravest(captures));
  const [heat, setHeat] = useState(0);
  const [blink, setBlink] = useState(false);
  const [lit, light] = useState<readonly Part[]>(NOTHING_LIT);
  const viewer = useRef<ViewerHandle>(null);
  const last = Math.max(0, captures.length - 1);
  const at = Math.min(chosen, last);
  return {
    at,
    capture: captures[at],
    choose,
    /** Goes to a photo before or after this one, as far as there are any. */
    go: (by: number) => choose(Math.min(last, Math.max(0, at + by))),
    /** How much of the heat map is seen, 0 to 1. */
    heat,
    setHeat,
    toggleHeat: () => setHeat(heat > 0 ? 0 : HEAT_ON),
    /** Whether the photo and its second frame take turns. */
    blink,
    toggleBlink: () => setBlink(!blink),
    /** The parts that the why-panel points at. */
    lit,
    light,
    viewer,
    showPart: (part: Part) => viewer.current?.showPart(part),
  };
}

export type PhotoView = ReturnType<typeof usePhotoView>;
