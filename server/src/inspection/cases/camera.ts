import { type CaptureFacts, capitalised, pictures } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';

/** Programs that edit pictures. Cameras write their firmware into the same field. */
const EDITORS =
  /\b(photoshop|lightroom|gimp|snapseed|facetune|picsart|canva|affinity|pixelmator|paint\.net|faceapp|remini|meitu|luminar|imagemagick)\b/i;

/**
 * Assesses whether the pictures come from one camera, by make and model, then by quantization tables with the picture's
 * size. 62% of JPEG headers are unique to one camera and 99% to one maker (Kee, Johnson, Farid: Digital Image
 * Authentication from JPEG Headers, 2011), so different headers are a hint. People do pick up a second phone.
 */
export function assessCamera(captures: readonly CaptureFacts[]): Assessment {
  const findings: Finding[] = [];
  const unknowns: string[] = [];
  for (const capture of captures) {
    const editor = capture.software && EDITORS.exec(capture.software)?.[0];
    if (!editor) continue;
    findings.push({
      dimension: 'physical_plausibility',
      weight: 0.35,
      text: `${capitalised(pictures([capture.number]))} was last written by an image editor (${capture.software}).`,
    });
  }
  if (captures.length < 2) return { findings, unknowns, coverage: null };

  const named = captures.filter(capture => capture.make || capture.model);
  const cameras = Map.groupBy(named, capture => cameraName(capture));
  if (cameras.size > 1) {
    const list = [...cameras].map(([name, of]) => `${name} (${pictures(of.map(capture => capture.number))})`);
    findings.push({
      dimension: 'cross_image_consistency',
      weight: 0.25,
      text: `The pictures name different cameras: ${list.slice(0, 4).join('; ')}.`,
    });
  } else if (cameras.size === 1 && named.length === captures.length) {
    findings.push({
      dimension: 'cross_image_consistency',
      weight: 0,
      text: `All pictures name the same camera, ${cameraName(named[0]!)}.`,
    });
  }
  for (const [name, of] of cameras) {
    const tables = new Set(of.flatMap(capture => capture.quantizationHash ?? []));
    if (tables.size < 2) continue;
    findings.push({
      dimension: 'cross_image_consistency',
      weight: 0.1,
      text: `Pictures that name the same camera (${name}) were compressed with different tables: some were saved again.`,
    });
  }
  if (named.length === 0) {
    const tables = new Set(captures.map(capture => `${capture.quantizationHash} ${sizeOf(capture)}`));
    const known = captures.every(capture => capture.quantizationHash !== null);
    if (known && tables.size === 1) {
      findings.push({
        dimension: 'cross_image_consistency',
        weight: 0,
        text: 'All pictures have the same size and compression tables, as one device makes them.',
      });
    }
    unknowns.push('The pictures name no camera, so whether one camera took them all cannot be told from the files.');
  } else if (named.length < captures.length) {
    const without = captures.filter(capture => !named.includes(capture)).map(capture => capture.number);
    unknowns.push(`${capitalised(pictures(without))} ${without.length === 1 ? 'names' : 'name'} no camera.`);
  }
  return { findings, unknowns, coverage: named.length / captures.length };
}

const cameraName = ({ make, model }: CaptureFacts): string => {
  if (!make || !model) return model ?? make ?? '';
  return model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`;
};

/** Sorts the sides, because upright and turned pictures of one sensor have the same two. */
const sizeOf = ({ width, height }: CaptureFacts): string => `${Math.max(width, height)}x${Math.min(width, height)}`;
