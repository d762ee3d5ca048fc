import { expect, test } from 'vitest';
import { descriptionIn } from './descriptions.ts';

const step = {
  description: 'The front of the car',
  descriptions: { de: 'Die Front', 'de-CH': 'Front vom Auto', 'pt-PT': 'A frente', fr: '  ', 'zh-Hant': '車頭' },
};

test.each([
  [['de-CH'], 'Front vom Auto'],
  [['DE-ch'], 'Front vom Auto'],
  [['de-AT'], 'Die Front'],
  [['pt-BR'], 'A frente'],
  [['zh-Hant-TW'], '車頭'],
  [['uk', 'de'], 'Die Front'],
  // Empty is missing, and each text falls back by itself.
  [['fr'], 'The front of the car'],
  [['fr', 'de'], 'Die Front'],
  [['constructor', '__proto__'], 'The front of the car'],
  [[], 'The front of the car'],
])('descriptionIn %j gives %j', (tags, text) => {
  expect(descriptionIn(step, tags)).toBe(text);
});

test('descriptionIn of a step without translations is its description', () => {
  expect(descriptionIn({ description: 'The front' }, ['de'])).toBe('The front');
});
