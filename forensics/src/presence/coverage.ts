/** Points of the photo that are asked, along each side. */
const GRID = 64;

type Point = readonly [x: number, y: number];

/** Returns the share of a photo's area that lies in a convex quadrilateral, whichever way its corners run. */
export function coveredShare(corners: readonly Point[], photo: { width: number; height: number }): number {
  let inside = 0;
  for (let j = 0; j < GRID; j++)
    for (let i = 0; i < GRID; i++)
      if (contains(corners, [((i + 0.5) * photo.width) / GRID, ((j + 0.5) * photo.height) / GRID])) inside++;
  return inside / GRID ** 2;
}

function contains(corners: readonly Point[], [x, y]: Point): boolean {
  const sides = corners.map(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length]!;
    return Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
  });
  return sides.every(side => side >= 0) || sides.every(side => side <= 0);
}
