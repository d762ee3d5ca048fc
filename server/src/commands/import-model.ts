import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadModel } from '@firsthand/forensics/ai/model.ts';
import { readPublished } from '@firsthand/forensics/ai/published.ts';
import { PROGRAM } from '../platform/lib/program.ts';
import { printJson } from './tenants.ts';

/** `firsthand import-model FOLDER`: writes the manifest of a model as hubs publish it, after the model scored one picture. */
export async function importModelCommand(folder: string, o: { label?: string }): Promise<void> {
  const { manifest, ...said } = await readPublished(folder, o.label);
  const path = join(folder, 'firsthand.json');
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  try {
    const model = await loadModel(path);
    await model.score({ width: 640, height: 480, data: new Uint8Array(640 * 480 * 3).fill(128) });
  } catch (error) {
    await rm(path);
    throw error;
  }
  printJson({ written: path, ...said, license: said.license ?? null, manifest });
  if (said.license === undefined)
    console.error('The model card names no licence. Ask its authors before you use the model.');
  else if (/nc|non-?commercial|research/i.test(said.license))
    console.error(`The licence ${said.license} does not allow commercial use.`);
  console.error(`Next: ${PROGRAM} calibrate FOLDER --model ${path}`);
}
