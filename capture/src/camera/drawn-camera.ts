import type { Camera, CameraState } from './camera.ts';

/** A still scene in the place of a camera, for a page that only shows how a step looks. Takes no photos. */
export function createDrawnCamera(): Camera {
  const canvas = document.createElement('canvas');
  canvas.width = 720;
  canvas.height = 1_280;
  const pen = canvas.getContext('2d')!;
  const draw = () => {
    const wall = pen.createLinearGradient(0, 0, 0, canvas.height);
    wall.addColorStop(0, '#54626c');
    wall.addColorStop(0.62, '#7d8a92');
    wall.addColorStop(0.63, '#4a545b');
    wall.addColorStop(1, '#2c3338');
    pen.fillStyle = wall;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = '#b9c3c9';
    pen.beginPath();
    pen.roundRect(190, 560, 340, 300, 28);
    pen.fill();
  };
  draw();
  const stream = canvas.captureStream(2);
  // A stream of a canvas has a frame only when something was drawn.
  setInterval(draw, 500);
  const state: CameraState = { status: 'live', stream, torch: 'none', lenses: 1, facing: 'back' };
  return {
    state,
    subscribe: () => () => {},
    open: async () => {},
    close: () => {},
    switchLens: async () => {},
    toggleTorch: async () => {},
    takePhoto: () => Promise.reject(new Error('A drawn scene takes no photos.')),
  };
}
