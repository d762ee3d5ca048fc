import { expect, test } from 'vitest';
import { platformOf } from './platform.ts';

const IOS = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`${IOS} Version/18.0 Mobile/15E148 Safari/604.1`, { system: 'ios', browser: 'safari' }],
  [`${IOS} CriOS/126.0 Mobile/15E148 Safari/604.1`, { system: 'ios', browser: 'chrome' }],
  [`${IOS} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, { system: 'ios', browser: 'firefox' }],
  [`${IOS} Mobile/15E148 Instagram 330.0`, { system: 'ios', browser: 'other', inApp: 'Instagram' }],
  [`${IOS} Mobile/15E148`, { system: 'ios', browser: 'other', inApp: '' }],
  [`${ANDROID} Chrome/126.0.0.0 Mobile Safari/537.36`, { system: 'android', browser: 'chrome' }],
  [`${ANDROID} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`, { system: 'android', browser: 'samsung' }],
  ['Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', { system: 'android', browser: 'firefox' }],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Version/4.0 Chrome/126.0 Mobile Safari/537.36 [FB_IAB/FB4A]',
    { system: 'android', browser: 'chrome', inApp: 'Facebook' },
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0',
    { system: 'desktop', browser: 'edge' },
  ],
])('%s', (userAgent, expected) => {
  expect(platformOf(userAgent)).toEqual(expected);
});

test('platform recognises an iPad that calls itself a Mac by its touch screen', () => {
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15';
  expect(platformOf(mac, 5).system).toBe('ios');
  expect(platformOf(mac, 0).system).toBe('desktop');
});
