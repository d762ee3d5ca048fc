import { expect, it } from 'vitest';
import { deviceWithSensor, unexplained } from './motion-devices.ts';

it('deviceWithSensor names a device only where every model of its kind has a gyroscope', () => {
  expect(deviceWithSensor({ make: 'Apple', model: 'iPhone 13 mini' })).toBe('iPhone 13 mini');
  expect(deviceWithSensor({ make: 'Google', model: 'Pixel 7a' })).toBe('Pixel 7a');
  for (const photo of [
    {},
    { make: 'Motorola', model: 'moto e5' },
    { make: 'Canon', model: 'iPhone' },
    { model: 'Pixel 7' },
  ])
    expect(deviceWithSensor(photo), JSON.stringify(photo)).toBeUndefined();
});

it('unexplained believes a silent browser, unless the photo’s own file names a phone that has the sensor', () => {
  expect(unexplained('silent', undefined)).toBeUndefined();
  expect(unexplained('silent', 'iPhone 13')).toContain('iPhone 13');
  expect(unexplained('refused', undefined)).toContain('does not allow it');
  expect(unexplained('blocked', undefined)).toContain('accelerometer; gyroscope');
  expect(unexplained(undefined, undefined)).toContain('nothing says why');
});
