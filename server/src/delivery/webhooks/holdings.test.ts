import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHoldings, type Held } from './holdings.ts';

describe('holdings', () => {
  it('end each claim once, whatever is recorded and handed back concurrently', () => {
    const delivery = fc.record({ claim: fc.constantFrom('a', 'b', 'c'), settledIn: fc.nat(5) });
    // Each batch is begun and, some steps later, done: those in between overlap.
    const batches = fc.array(fc.record({ takes: fc.nat(3), handedBack: fc.boolean() }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(delivery, { minLength: 1, maxLength: 20 }), batches, (deliveries, plan) => {
        const holdings = createHoldings();
        const held = deliveries.map(({ claim, settledIn }, n) => ({ id: `${n}`, claim, settledIn }));
        const claims = new Set(held.map(({ claim }) => claim));
        for (const claim of claims) {
          holdings.add(
            claim,
            held.filter(d => d.claim === claim).map(d => d.id),
          );
        }
        const told: string[] = [];
        const underWay: { done: number; batch: Held[]; ending: string[] }[] = [];
        const finish = (step: number) => {
          for (const { batch, ending } of underWay.filter(({ done }) => done === step)) {
            holdings.settle(batch, ending);
            told.push(...ending);
          }
        };
        plan.forEach(({ takes, handedBack }, step) => {
          finish(step);
          const batch = held.filter(({ settledIn }) => settledIn === step);
          // Only the writer tells, and it writes one batch after the other.
          const writing = underWay.some(({ done, ending }) => done > step && ending.length > 0);
          const ending = handedBack || writing ? [] : holdings.endingWith(batch);
          underWay.push({ done: step + 1 + takes, batch, ending });
        });
        for (let step = plan.length; step < plan.length + 5; step += 1) finish(step);
        expect(holdings.ids()).toEqual([]);
        told.push(...holdings.endingWith([]));
        expect(told.toSorted()).toEqual([...claims].toSorted());
      }),
    );
  });

  it('keep deliveries in progress', () => {
    const holdings = createHoldings();
    holdings.add('a', ['1', '2']);
    expect(holdings.endingWith([{ id: '1', claim: 'a' }])).toEqual([]);
    holdings.settle([{ id: '1', claim: 'a' }], []);
    expect(holdings.ids()).toEqual(['2']);
    expect(holdings.endingWith([{ id: '2', claim: 'a' }])).toEqual(['a']);
  });
});
