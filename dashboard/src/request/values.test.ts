import { TEXT_FORMAT_NAMES } from '@firsthand/contract/capture/text-formats.ts';
import { CreateVerificationRequest, crossFieldFaults } from '@firsthand/contract/verification/create-verification.ts';
import { SIGNAL_NAMES } from '@firsthand/contract/verification/signals.ts';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { EMPTY, type RequestValues, requestOf, type StepValues, valuesOf } from './values.ts';

const check = Compile(CreateVerificationRequest);
const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z ]{0,28}[a-z]$/);
const maybe = fc.oneof(fc.constant(''), word);
const step = (index: number): fc.Arbitrary<StepValues> =>
  fc.record({
    type: fc.constantFrom('image', 'text', 'upload'),
    key: fc.constant(`step_${index}`),
    description: maybe,
    translations: fc.uniqueArray(
      fc.record({ language: fc.constantFrom('de', 'pt-BR', 'uk'), text: maybe.map(text => text.trim()) }),
      { selector: ({ language }) => language },
    ),
    example_picture: fc.constantFrom('', 'a'.repeat(64)),
    min: fc.constantFrom(0, 1),
    max: fc.constantFrom(1, 2, 3),
    required: fc.boolean(),
    format: fc.constantFrom(...TEXT_FORMAT_NAMES),
  });
const values: fc.Arbitrary<RequestValues> = fc.record({
  steps: fc
    .tuple(step(0), step(1), step(2))
    .map(([first, ...more]) => [{ ...first, type: first.type === 'text' ? ('image' as const) : first.type }, ...more]),
  expected_object: maybe,
  expected_location: maybe,
  condition_aspects: fc.oneof(fc.constant(''), fc.constant('paint, glass; tyres')),
  context_kind: fc.constant('claim'),
  context_summary: word,
  signals: fc.subarray([...SIGNAL_NAMES], { minLength: 1 }),
  depth_policy: fc.constantFrom(undefined, 'strict', 'lenient'),
  audit: fc.boolean(),
  expires_in_seconds: fc.constantFrom(3_600, 14_400, 86_400),
  brand_slug: fc.constantFrom('', 'acme-red'),
  webhook_url: fc.constantFrom('', 'https://hooks.example/in'),
  notify: fc.constantFrom('default', 'off'),
  notify_email: fc.constant(''),
  metadata: fc.uniqueArray(fc.record({ key: word.map(key => key.trim()), value: maybe }), {
    selector: ({ key }) => key,
    maxLength: 3,
  }),
  person_name: maybe,
  person_email: fc.constantFrom('', 'ada@people.example'),
  person_phone: fc.constantFrom('', '+491512345678'),
  person_ref: maybe,
});

test('requestOf makes a body that the contract takes', () => {
  expect(check.Check(requestOf(EMPTY))).toBe(true);
  fc.assert(
    fc.property(values, filled => {
      const request = requestOf(filled);
      expect([...check.Errors(request)]).toEqual([]);
      expect(crossFieldFaults(request)).toEqual([]);
    }),
  );
});

test('valuesOf gives the form back that a request was made from', () => {
  fc.assert(
    fc.property(values, filled => {
      const request = requestOf(filled);
      const { values: again, lost } = valuesOf(request);
      expect(lost).toEqual([]);
      expect(requestOf(again)).toEqual(request);
    }),
  );
});

test('valuesOf names what the form cannot hold', () => {
  const { lost } = valuesOf({
    seal: false,
    context: { kind: 'claim', summary: 'A car', attributes: { three_dimensional: true } },
    steps: [{ type: 'upload', key: 'invoice', min: 1, max: 1, accept: ['image/png'] }],
  });
  expect(lost).toEqual(['steps.invoice', 'seal', 'context.attributes']);
});
