import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

test('createSlots never exceeds a holder’s most, takes from all holders or none, and ends at zero', () => {
  const step = fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.integer({ min: 4, max: 6 }), leave: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const slots = createSlots();
      const held: { names: number[]; leave: () => void }[] = [];
      const count = (name: number) => held.filter(({ names }) => names.includes(name)).length;
      for (const { a, b, leave } of steps) {
        if (leave) {
          const gone = held.shift();
          gone?.leave();
          gone?.leave();
          continue;
        }
        const room = count(a) < 2 && count(b) < 3;
        const left = slots.take({ name: `${a}`, most: 2 }, { name: `${b}`, most: 3 });
        expect(left !== null).toBe(room);
        if (left) held.push({ names: [a, b], leave: left });
        expect(slots.held).toBe(2 * held.length);
      }
      for (const { leave } of held) leave();
      expect(slots.held).toBe(0);
    }),
  );
});
