'use client';
// The package's only entry.
export { CaptureFlow, type CaptureFlowProps, type CaptureFlowWords } from './capture-flow.tsx';
export type { CapturePhase } from './controller.ts';
export { FirsthandCapture, type FirsthandCaptureProps } from './firsthand-capture.ts';
export { type Capture, type HeldPhoto, type UseCaptureOptions, useCapture } from './use-capture.ts';
