import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** `labels.json` of a labelled folder: one person's answers for each picture. */
export const Labels = Type.Array(
  Type.Object(
    {
      file: Type.String({ minLength: 1 }),
      object: Type.Optional(
        Type.Object(
          {
            expected: Type.String({ minLength: 1, maxLength: 200 }),
            status: Type.Enum(['match', 'mismatch', 'inconclusive']),
          },
          { additionalProperties: false },
        ),
      ),
      condition: Type.Optional(
        Type.Record(Type.String({ minLength: 1, maxLength: 40 }), Type.Number({ minimum: 0, maximum: 10 }), {
          minProperties: 1,
          maxProperties: 6,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  { minItems: 1 },
);
export type Label = Static<typeof Labels>[number];

/** Reads the labels of a folder. Throws an error that names the first invalid place. */
export async function readLabels(folder: string): Promise<Label[]> {
  const file = join(folder, 'labels.json');
  const labels: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!Value.Check(Labels, labels)) {
    const [fault] = Value.Errors(Labels, labels);
    throw new Error(`${file}: ${fault?.instancePath || '/'} ${fault?.message}`);
  }
  const outside = labels.find(label => !resolve(folder, label.file).startsWith(resolve(folder) + sep));
  if (outside) throw new Error(`${file}: ${outside.file} lies outside the folder`);
  return labels;
}
