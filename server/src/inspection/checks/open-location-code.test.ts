import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeArea, decodeCentre } from './open-location-code.ts';

// From the public test data of github.com/google/open-location-code (Apache-2.0): decoding.csv and validityTests.csv.
const DECODING = `
7FG49Q00+,6,20.35,2.75,20.4,2.8
7FG49QCJ+2V,10,20.37,2.782125,20.370125,2.78225
7FG49QCJ+2VX,11,20.3701,2.78221875,20.370125,2.78225
7FG49QCJ+2VXGJ,13,20.370113,2.782234375,20.370114,2.78223632813
8FVC2222+22,10,47.0,8.0,47.000125,8.000125
4VCPPQGP+Q9,10,-41.273125,174.785875,-41.273,174.786
62G20000+,4,0.0,-180.0,1,-179
22220000+,4,-90,-180,-89,-179
7FG40000+,4,20.0,2.0,21.0,3.0
22222222+22,10,-90.0,-180.0,-89.999875,-179.999875
6VGX0000+,4,0,179,1,180
6FH32222+222,11,1,1,1.000025,1.00003125
CFX30000+,4,89,1,90,2
62H20000+,4,1,-180,2,-179
62H30000+,4,1,-179,2,-178
CFX3X2X2+X2,10,89.9998750,1,90,1.0001250
84000000+,2,30,-140,50,-120
6FH56C22+22,10,1.2000000000000028,3.4000000000000057,1.2001249999999999,3.4001250000000027
849VGJQF+VX7QR3J,15,37.5396691200,-122.3750698242,37.5396691600,-122.3750697021
849VGJQF+VX7QR3J7QR3J,15,37.5396691200,-122.3750698242,37.5396691600,-122.3750697021`;
const VALIDITY = `
8FWC2345+G6,true
8FWC2345+G6G,true
8fwc2345+,true
8FWCX400+,true
WC2345+G6g,false
2345+G6,false
45+G6,false
+G6,false
G+,false
+,false
8FWC2345+G,false
8FWC2_45+G6,false
8FWC2η45+G6,false
8FWC2345+G6+,false
8FWC2345G6+,false
8FWC2300+G6,false
WC2300+G6g,false
WC2345+G,false
WC2300+,false
849VGJQF+VX7QR3J,true
849VGJQF+VX7QR3U,false
849VGJQF+VX7QR3JW,true
849VGJQF+VX7QR3JU,false`;
const rows = (table: string) =>
  table
    .trim()
    .split('\n')
    .map(line => line.split(','));

describe('decodeArea', () => {
  it.each(rows(DECODING))('decodes %s to the published area', (code, _digits, ...bounds) => {
    const area = decodeArea(code!)!;
    const [south, west, north, east] = bounds.map(Number);
    expect(area.south).toBeCloseTo(south!, 9);
    expect(area.west).toBeCloseTo(west!, 9);
    expect(area.south + area.height).toBeCloseTo(north!, 9);
    expect(area.west + area.width).toBeCloseTo(east!, 9);
  });

  it.each(rows(VALIDITY))('says whether %s is a full code: %s', (code, full) => {
    expect(decodeArea(code!) !== null).toBe(full === 'true');
  });

  it('places every point within the areas of its code and prefixes', () => {
    const digit = fc.constantFrom(...'23456789CFGHJMPQRVWX');
    const code = fc.tuple(
      fc.constantFrom(...'23456789C'),
      fc.constantFrom(...'23456789CFGHJMPQRV'),
      fc.array(digit, { minLength: 6, maxLength: 6 }),
      fc.array(digit, { minLength: 2, maxLength: 7 }),
    );
    fc.assert(
      fc.property(code, ([first, second, block, rest]) => {
        const whole = `${first}${second}${block.join('')}+${rest.join('')}`;
        const { latitude, longitude } = decodeCentre(whole)!;
        expect(Math.abs(latitude)).toBeLessThan(90);
        expect(Math.abs(longitude)).toBeLessThan(180);
        const outer = decodeArea(`${whole.slice(0, 4)}0000+`)!;
        expect(latitude).toBeGreaterThan(outer.south);
        expect(latitude).toBeLessThan(outer.south + outer.height);
        expect(longitude).toBeGreaterThan(outer.west);
        expect(longitude).toBeLessThan(outer.west + outer.width);
      }),
    );
  });
});
