import type { Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { type Camera, drawCamera } from './camera.ts';
import { PANEL_LAYOUTS, type PanelLayout } from './panel.ts';

/** The subject and the pose of the camera, without the camera's own parameters. */
export interface CaptureParams {
  seed: number;
  /** Sensor pixels. */
  width: number;
  height: number;
  /** Rotation of the subject in the image plane, in degrees. */
  angle: number;
  /** Perspective: change of scale from the centre to the right and to the lower edge (0.1 is strong). */
  tilt: [number, number];
  /** Shift of the subject, as a share of the frame. */
  shift: [number, number];
  /** Radial lens distortion at the corner. */
  distortion: number;
  /** Standard deviation of lens and focus blur, in sensor pixels. */
  blur: number;
  /** Hand shake: length in sensor pixels and direction in degrees. */
  shake: { length: number; angle: number };
  camera: Camera;
  /** Replaces `angle`, `tilt` and `shift`: the camera's pose before a subject at distance 1. */
  pose?: Pose;
}

/** A camera in front of the plane z = 1, looking along z. */
export interface Pose {
  /** Focal length, sensor pixels. */
  focal: number;
  /** The camera's position, in units of the subject's distance. */
  position: [number, number, number];
  /** Rotations about x, y and z, in radians. */
  turn: [number, number, number];
}

/** A display or a print that fills some of the frame. */
export interface RecaptureParams extends CaptureParams {
  layout: PanelLayout;
  /** Sensor pixels per display pixel. */
  scale: number;
  /** Black matrix, as a share of a pixel's side. */
  gap: number;
  /** Light of a black pixel, as a share of white. */
  blackLevel: number;
  /** Reflected room light as a soft veil, as a share of white. */
  glare: number;
  /** Rolling bands of a dimmed backlight: amplitude, and period in rows. */
  banding: { amplitude: number; period: number };
  /** Share of the frame's side that the display covers. Above 1 the picture shows only the display. */
  fill: number;
  /** Width of the bezel, as a share of the frame, and its brightness. */
  bezel: { width: number; level: number };
  /** Brightness of the display relative to the room. */
  displayGain: number;
  /** The scene around the display; black if absent. */
  room?: Picture;
}

/** Draws realistic capture conditions: near or far, straight or slanted, sharp or slightly blurred. */
export function drawCapture(seed: number, size: { width: number; height: number }): CaptureParams {
  const rng = random(seed * 104729 + 3);
  return {
    seed,
    ...size,
    angle: rng.uniform() < 0.5 ? 2 * rng.normal() : 10 * rng.normal(),
    tilt: [0.04 * rng.normal(), 0.04 * rng.normal()],
    shift: [0.03 * rng.normal(), 0.03 * rng.normal()],
    distortion: 0.012 * rng.normal(),
    blur: rng.logUniform(0.35, 1.1),
    shake: { length: rng.uniform() < 0.3 ? rng.uniform(0.5, 2.5) : 0, angle: rng.uniform(0, 180) },
    camera: drawCamera(rng),
  };
}

/** Draws a display (or print) for given capture conditions. */
export function drawRecapture(capture: CaptureParams, room?: Picture): RecaptureParams {
  const rng = random(capture.seed * 15485863 + 11);
  const layout = rng.uniform() < 0.45 ? 'rgb' : rng.pick(PANEL_LAYOUTS);
  return {
    ...capture,
    layout,
    scale: rng.logUniform(0.6, 5),
    gap: rng.uniform(0.08, 0.35),
    blackLevel: rng.logUniform(0.0008, 0.01),
    glare: rng.uniform() < 0.5 ? rng.uniform(0, 0.12) : 0,
    banding: { amplitude: rng.uniform() < 0.25 ? rng.uniform(0.01, 0.12) : 0, period: rng.logUniform(40, 800) },
    fill: rng.uniform() < 0.6 ? 1.3 : rng.uniform(0.7, 1.1),
    bezel: { width: rng.uniform(0.01, 0.08), level: rng.logUniform(0.004, 0.1) },
    displayGain: rng.logUniform(0.7, 5),
    room,
  };
}

/** Ordinary capture conditions: a steady hand, a sharp lens, a good JPEG. Seeds differ only in noise. */
export function plainCapture(seed: number, size: { width: number; height: number }): CaptureParams {
  return {
    seed,
    ...size,
    angle: 3,
    tilt: [0.01, 0.005],
    shift: [0, 0],
    distortion: 0.004,
    blur: 0.5,
    shake: { length: 0, angle: 0 },
    camera: {
      exposure: 0.85,
      shotNoise: 2e-4,
      whiteBalance: [1, 1, 1],
      denoise: 0.2,
      sharpen: 0.5,
      contrast: 0.2,
      saturation: 1.05,
      jpegQuality: 92,
    },
  };
}

/** An ordinary RGB-striped display with its bezel, in a dark room; its pixels are 2.2 sensor pixels wide. */
export function plainDisplay(capture: CaptureParams): RecaptureParams {
  return {
    ...capture,
    layout: 'rgb',
    scale: 2.2,
    gap: 0.2,
    blackLevel: 0.003,
    glare: 0,
    banding: { amplitude: 0, period: 100 },
    fill: 0.85,
    bezel: { width: 0.03, level: 0.01 },
    displayGain: 1,
  };
}
