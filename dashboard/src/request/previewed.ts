import { IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { UPLOAD_DEFAULT_BYTES } from '@firsthand/contract/base/limits.ts';
import type { Step } from '@firsthand/contract/capture/steps.ts';
import { descriptionsOf, type StepValues } from './values.ts';

/** The steps of a form as the service would store them, with every default. */
export const previewedSteps = (steps: readonly StepValues[]): Step[] =>
  steps.map((step, index): Step => {
    const { type, description, example_picture, min, max, required, format } = step;
    const descriptions = descriptionsOf(step);
    // While a key is typed it may be empty or stand twice.
    const common = { key: `step_${index}`, description, ...(descriptions ? { descriptions } : {}) };
    if (type === 'text') return { type, ...common, required, validation: { max_length: 2_000, format } };
    const example = example_picture ? { example_picture } : {};
    const picture = { ...common, ...example, min: Number(min) || 0, max: Number(max) || 1 };
    if (type === 'image') return { type, ...picture };
    return { type, ...picture, accept: [...IMAGE_TYPES], max_size_bytes: UPLOAD_DEFAULT_BYTES };
  });
