import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { type Random, random } from '@firsthand/forensics/pixels/random.ts';
import { type Camera, develop, type Irradiance, LINEAR } from '@firsthand/forensics/simulate/camera.ts';
import { FRAME, onPlane, recoded, type Stage, sample } from '@firsthand/forensics/simulate/film.ts';
import type { Pose } from '@firsthand/forensics/simulate/params.ts';

/** A surface that mirrors the torch. Its light adds to the surface behind or below it. */
export interface Gloss {
  /** Number of the card, from the nearest, or -1 for a plane that fills the frame. */
  card: number;
  /** Distance of that plane, as a share of the backdrop's. */
  z: number;
  /** Share of the light that it mirrors: 0.04 for one face of glass. */
  reflectance: number;
  /** Share of the mirrored light in a broad lobe: 1 for a matte coating, less for smudges on glass. */
  haze: number;
  /** Width of that lobe (standard deviation of the facets' slope), in radians. */
  lobe: number;
  /** Radius of curvature in metres, and the slope of the surface at its centre. */
  radius: number;
  slope: [number, number];
}

/** All that one pair shows. */
export interface Place {
  stage: Stage;
  /** Metres to the backdrop. */
  distance: number;
  glosses: Gloss[];
  /** Luminance of white on a display that is the backdrop, in cd/m². 0: the backdrop reflects. */
  nits: number;
  /** Reflectance of the backdrop's white, or of a display's dark glass. */
  albedo: number;
  /** Luminance of the light that the backdrop mirrors from its surroundings, and its picture. */
  mirrored?: { picture: Picture; nits: number };
  /** A nearest card that shines, in cd/m². */
  lamp: number;
  /** Illuminance of the room, in lux, and its change over the frame. */
  lux: number;
  gradient: [number, number];
  /** Rolling bands of lamps and backlights: amplitude and rows. */
  bands: { amplitude: number; period: number };
  /** Luminous intensity of the torch along the axis, in candela. It falls with the cosine. */
  candela: number;
  camera: Camera;
  /** Poses of the frame without and with the torch. */
  poses: [Pose, Pose];
  /** Whether the exposure stays as it was. */
  locked: boolean;
}

/** Place of the torch beside the lens, in metres. */
const TORCH = [0.012, 0.008] as const;
/** Spread of a point by lens and sensor: share and standard deviation in pixels of the small frame. The wide parts are glare in the lens. */
const SPREAD = [
  [0.88, 0.8],
  [0.09, 4],
  [0.03, 30],
] as const;

/** Renders a frame without and one with the torch, as the page would send them. */
export async function renderPair(place: Place, seed: number): Promise<[Picture, Picture]> {
  const rng = random(seed * 977 + 5);
  const dark = exposed(place, place.poses[0], 0, rng.uniform(0, 6.28));
  const lit = exposed(place, place.poses[1], place.candela, rng.uniform(0, 6.28));
  const { camera } = place;
  const change = place.locked ? brightOf(lit) / brightOf(dark) : Math.exp(0.03 * rng.normal());
  const [red, green, blue] = camera.whiteBalance;
  const again: Camera = {
    ...camera,
    exposure: camera.exposure * change,
    whiteBalance: [red * rng.uniform(0.98, 1.02), green, blue * rng.uniform(0.98, 1.02)],
  };
  return [await filed(dark, camera, rng), await filed(lit, again, rng)];
}

const filed = (light: Irradiance, camera: Camera, rng: Random): Promise<Picture> =>
  recoded(develop(light, camera, rng), camera.jpegQuality);

/** The level that the simulated camera exposes for. */
function brightOf({ planes }: Irradiance): number {
  const green = planes[1].slice().sort();
  return green[Math.floor(0.985 * (green.length - 1))]!;
}

/** Luminance in cd/m² that arrives at each pixel. */
function exposed(place: Place, pose: Pose, candela: number, phase: number): Irradiance {
  const { width, height } = FRAME;
  const planes: Irradiance['planes'] = [
    new Float32Array(width * height),
    new Float32Array(width * height),
    new Float32Array(width * height),
  ];
  const shade = shader({ ...place, candela }, pose);
  const spots = place.glosses.map(() => ({ miss: Number.POSITIVE_INFINITY, within: 0, x: 0, y: 0, flux: 0 }));
  const out = new Float64Array(3);
  for (let y = 0; y < height; y++) {
    const band = 1 + place.bands.amplitude * Math.sin((2 * Math.PI * y) / place.bands.period + phase);
    for (let x = 0; x < width; x++) {
      shade(x + 0.5 - width / 2, y + 0.5 - height / 2, band, out, spots);
      for (let c = 0; c < 3; c++) planes[c]![y * width + x] = out[c]!;
    }
  }
  for (const spot of spots) if (spot.miss < spot.within) spread(planes, spot);
  return { width, height, planes };
}

/** Where a mirror shows the torch, and how much light of it: cd/m² times pixels. */
interface Spot {
  /** Slope between the surface and a mirror that faces the camera, at the nearest pixel; the spot is in the frame within the second. */
  miss: number;
  within: number;
  x: number;
  y: number;
  flux: number;
}

type Shade = (dx: number, dy: number, band: number, out: Float64Array, spots: Spot[]) => void;

function shader(place: Place, pose: Pose): Shade {
  const { stage, distance, glosses, candela } = place;
  const cards = [...stage.cards].sort((a, b) => a.z - b.z);
  const onCards = cards.map(({ z }) => onPlane(pose, z));
  const onBackdrop = onPlane(pose, 1);
  const sheets = glosses.map(({ card, z }) => (card < 0 ? onPlane(pose, z) : undefined));
  const { width, height } = stage.backdrop;
  const scale = width / (1.9 * FRAME.width);
  const point: [number, number] = [0, 0];
  const torch = torchOf(pose, distance, candela);
  return (dx, dy, band, out, spots) => {
    let hit = cards.length;
    for (let i = 0; i < cards.length && hit === cards.length; i++) {
      const card = cards[i]!;
      onCards[i]!(dx, dy, point);
      const s = (point[0] - card.x) / card.halfWidth;
      const t = (point[1] - card.y) / card.halfHeight;
      if (card.round ? s * s + t * t > 1 : Math.abs(s) > 1 || Math.abs(t) > 1) continue;
      hit = i;
      sample(card.picture, ((s + 1) * card.picture.width) / 2, ((t + 1) * card.picture.height) / 2, out);
    }
    if (hit === cards.length) {
      onBackdrop(dx, dy, point);
      sample(stage.backdrop, point[0] * scale + width / 2, point[1] * scale + height / 2, out);
    }
    const lux = torch(point[0], point[1], cards[hit]?.z ?? 1, dx, dy);
    light(place, hit < cards.length, hit === 0, [dx, dy], band, lux, out);
    if (candela === 0) return;
    for (const [i, gloss] of glosses.entries()) {
      if (gloss.card >= 0 && gloss.card !== hit) continue;
      sheets[i]?.(dx, dy, point);
      const z = gloss.card >= 0 ? cards[hit]!.z : gloss.z;
      const centre: [number, number] = gloss.card >= 0 ? [cards[hit]!.x, cards[hit]!.y] : [0, 0];
      mirror(place, pose, gloss, centre, point, z, [dx, dy], out, spots[i]!);
    }
  };
}

/** Adds the light that a surface mirrors into a point of the frame, and keeps the place where it mirrors the torch itself. */
function mirror(
  { distance, candela }: Place,
  pose: Pose,
  gloss: Gloss,
  centre: [number, number],
  [u, v]: [number, number],
  z: number,
  [dx, dy]: [number, number],
  out: Float64Array,
  spot: Spot,
): void {
  const metre = distance / pose.focal;
  const [px, py, pz] = pose.position;
  const [x, y, depth] = [u * metre - px * distance, v * metre - py * distance, (z - pz) * distance];
  // Slope of the facet that mirrors the torch into the lens, less the slope of the surface.
  const across = (x - TORCH[0] / 2) / depth + gloss.slope[0] + ((u - centre[0]) * metre) / gloss.radius;
  const down = (y - TORCH[1] / 2) / depth + gloss.slope[1] + ((v - centre[1]) * metre) / gloss.radius;
  const miss = Math.hypot(across, down);
  const cosine = pose.focal / Math.hypot(pose.focal, dx, dy);
  const lux = (candela * cosine) / (x * x + y * y + depth * depth);
  const hazy = gloss.reflectance * gloss.haze;
  const lobe = Math.exp(-((miss / gloss.lobe) ** 2) / 2) / (2 * Math.PI * gloss.lobe ** 2);
  for (let c = 0; c < 3; c++) out[c] += (hazy * lobe * lux) / 4;
  if (miss >= spot.miss) return;
  const curved = (gloss.radius / (gloss.radius + depth)) ** 2;
  const flux = (gloss.reflectance * (1 - gloss.haze) * lux * curved * pose.focal ** 2) / 4;
  const within = (1 + depth / gloss.radius) / pose.focal;
  Object.assign(spot, { miss, within, x: dx + FRAME.width / 2, y: dy + FRAME.height / 2, flux });
}

/** Returns the torch's illuminance on a plane that faces the start pose, in lux. */
function torchOf({ focal, position }: Pose, distance: number, candela: number) {
  return (u: number, v: number, z: number, dx: number, dy: number): number => {
    const x = (u / focal - position[0]) * distance - TORCH[0];
    const y = (v / focal - position[1]) * distance - TORCH[1];
    const depth = (z - position[2]) * distance;
    const squared = x * x + y * y + depth * depth;
    const axis = focal / Math.hypot(focal, dx, dy);
    return (candela * axis * (depth / Math.sqrt(squared))) / squared;
  };
}

/** Turns the 8-bit colour of a surface into its luminance. */
function light(
  place: Place,
  onCard: boolean,
  nearest: boolean,
  [dx, dy]: [number, number],
  band: number,
  torch: number,
  out: Float64Array,
): void {
  const room =
    place.lux * band * (1 + (place.gradient[0] * dx) / FRAME.width + (place.gradient[1] * dy) / FRAME.height);
  const display = !onCard && place.nits > 0;
  const added = [0, 0, 0];
  if (!onCard && place.mirrored) {
    const { picture, nits } = place.mirrored;
    sample(picture, (dx / FRAME.width + 0.5) * picture.width, (dy / FRAME.height + 0.5) * picture.height, seen);
    for (let c = 0; c < 3; c++) added[c] = nits * LINEAR[seen[c]! | 0]!;
  }
  for (let c = 0; c < 3; c++) {
    const value =
      LINEAR[out[c]! | 0]! + (out[c]! % 1) * (LINEAR[Math.min(255, (out[c]! | 0) + 1)]! - LINEAR[out[c]! | 0]!);
    if (nearest && place.lamp > 0) out[c] = place.lamp;
    // A black pixel of a display keeps a thousandth of white.
    else if (display) out[c] = place.nits * band * (0.001 + 0.999 * value) + (place.albedo * (room + torch)) / Math.PI;
    else out[c] = ((onCard ? 0.85 : place.albedo) * value * (room + torch)) / Math.PI + added[c]!;
  }
}
const seen = new Float64Array(3);

function spread(planes: Irradiance['planes'], { x, y, flux }: Spot): void {
  const { width, height } = FRAME;
  for (const [share, sigma] of SPREAD) {
    const reach = Math.ceil(4 * sigma);
    const peak = (share * flux) / (2 * Math.PI * sigma * sigma);
    for (let j = Math.max(0, Math.floor(y - reach)); j < Math.min(height, y + reach); j++) {
      for (let i = Math.max(0, Math.floor(x - reach)); i < Math.min(width, x + reach); i++) {
        const d2 = (i + 0.5 - x) ** 2 + (j + 0.5 - y) ** 2;
        const added = peak * Math.exp(-d2 / (2 * sigma * sigma));
        for (const plane of planes) plane[j * width + i] += added;
      }
    }
  }
}
