import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../test/support/harness.ts';
import { plain } from '../../../test/support/pictures.ts';
import { comparePlaces, distanceM, toleranceM } from './distance.ts';
import { literalPlace } from './geocode.ts';

const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe('distance and literal locations', () => {
  it('agrees with known values, is symmetric and at most half the circumference', () => {
    const munich = { latitude: 48.1374, longitude: 11.5755 };
    const berlin = { latitude: 52.52, longitude: 13.405 };
    expect(distanceM(munich, berlin) / 1_000).toBeCloseTo(504.4, 0);
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(distanceM(a, b)).toBeCloseTo(distanceM(b, a), 3);
        expect(distanceM(a, b)).toBeLessThanOrEqual(20_015_200);
        expect(distanceM(a, a)).toBe(0);
      }),
    );
  });

  it('tolerate 150 m plus the reported accuracy, at most 1 km', () => {
    expect([toleranceM(undefined), toleranceM(30), toleranceM(5_000)]).toEqual([150, 180, 1_000]);
    expect(
      comparePlaces({ latitude: 0, longitude: 0, accuracy_m: 0 }, { latitude: 0, longitude: 0.001_3 }).result,
    ).toBe('verified');
    expect(
      comparePlaces({ latitude: 0, longitude: 0, accuracy_m: 0 }, { latitude: 0, longitude: 0.001_4 }).result,
    ).toBe('no_match');
  });

  it('accept only coordinates and full plus codes', () => {
    expect(literalPlace('48.1374, 11.5755')).toEqual({ latitude: 48.1374, longitude: 11.5755 });
    expect(literalPlace('8FWH4HX8+9C')?.latitude).toBeCloseTo(48.148, 2);
    for (const text of ['91,0', '0,181', 'Main Street 5', '4HX8+9C', '', '1,2,3'])
      expect(literalPlace(text)).toBeNull();
  });
});

describe('geocoder', () => {
  let service: TestService;
  const asked: string[] = [];
  let answer: () => { status: number; body: string };
  const geocoder = createServer((request, response) => {
    const url = new URL(request.url!, 'http://geocoder');
    asked.push(`${url.pathname} ${url.searchParams.get('q')} ${url.searchParams.get('format')}`);
    const { status, body } = answer();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  beforeAll(async () => {
    await new Promise<void>(resolve => geocoder.listen(0, '127.0.0.1', resolve));
    const { port } = geocoder.address() as AddressInfo;
    service = await startTestService({ env: { GEOCODER_URL: `http://127.0.0.1:${port}/nominatim` } });
  });
  afterAll(async () => {
    await service?.stop();
    geocoder.close();
  });

  const resultAt = async (address: string, location: object) => {
    const { id } = await createVerification(service, { expected_location: address });
    await submit(service, id, await plain(), { location });
    return (await untilStatus(service, id, ['completed'])).location_match?.result;
  };
  const here = { latitude: 48.1374, longitude: 11.5755, accuracy_m: 10 };

  it('is asked once per address, whatever its spacing, and its answer is cached', async () => {
    answer = () => ({ status: 200, body: JSON.stringify([{ lat: '48.1374', lon: '11.5755', display_name: 'x' }]) });
    expect(await resultAt('Marienplatz 1, München', here)).toBe('verified');
    expect(await resultAt('marienplatz  1, münchen', { ...here, latitude: 50 })).toBe('no_match');
    expect(asked).toEqual(['/nominatim/search Marienplatz 1, München jsonv2']);
  });

  it('leaves the location unresolved when it finds nothing, fails or answers nonsense, without delaying the verdict', async () => {
    const answers = [
      { status: 200, body: '[]' },
      { status: 500, body: 'oops' },
      { status: 200, body: '{"lat":' },
      { status: 200, body: JSON.stringify([{ lat: '95', lon: 'x' }]) },
    ];
    for (const [index, next] of answers.entries()) {
      answer = () => next;
      expect(await resultAt(`Nowhere ${index}`, here)).toBe('ungeocoded');
    }
    answer = () => ({ status: 200, body: JSON.stringify([{ lat: '48.1374', lon: '11.5755' }]) });
    expect(await resultAt('Nowhere 1', here)).toBe('verified');
  });
});
