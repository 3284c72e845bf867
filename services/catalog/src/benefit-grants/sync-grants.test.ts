import fc from 'fast-check';
import type { Holder } from './grant.ts';
import { type Difference, mergeHolders, syncGrants, type Wanted } from './sync-grants.ts';

interface Row extends Holder {
  benefit_id: string;
  granted_at: Date | null;
  withdrawn_at: Date | null;
}

const NOW = new Date('2026-01-15T12:00:00Z');
const holders: Holder[] = [
  { customer_id: 'c1', member_id: null },
  { customer_id: 'c1', member_id: 'm1' },
  { customer_id: 'c2', member_id: null },
];
const benefitIds = ['b1', 'b2', 'b3'];
const keyOf = ({ customer_id, member_id, benefit_id }: Holder & { benefit_id: string }) =>
  `${customer_id} ${member_id} ${benefit_id}`;

const anyRows: fc.Arbitrary<Row[]> = fc
  .uniqueArray(
    fc.record({
      holder: fc.constantFrom(...holders),
      benefit_id: fc.constantFrom(...benefitIds),
      state: fc.constantFrom('granted', 'revoked', 'withdrawn'),
    }),
    { selector: ({ holder, benefit_id }) => keyOf({ ...holder, benefit_id }) },
  )
  .map((rows) =>
    rows.map(({ holder, benefit_id, state }) => ({
      ...holder,
      benefit_id,
      granted_at: state === 'granted' ? NOW : null,
      withdrawn_at: state === 'withdrawn' ? NOW : null,
    })),
  );
const anyWanted: fc.Arbitrary<Wanted[]> = fc
  .array(fc.record({ holder: fc.constantFrom(...holders), benefit_ids: fc.subarray(benefitIds) }), {
    maxLength: 6,
  })
  .map((wishes) => {
    const all = holders.map((holder) => ({ ...holder, benefit_ids: [] as string[] }));
    return mergeHolders([...all, ...wishes.map(({ holder, benefit_ids }) => ({ ...holder, benefit_ids }))]);
  });

function apply(rows: readonly Row[], { create, restore, revoke }: Difference<Row>): Row[] {
  const after = rows.map((row) => {
    if (restore.includes(row)) return { ...row, granted_at: NOW };
    return revoke.includes(row) ? { ...row, granted_at: null } : row;
  });
  return [...after, ...create.map((fresh) => ({ ...fresh, granted_at: NOW, withdrawn_at: null }))];
}

test('applying the difference gives what is wanted, but for what the merchant holds back', () => {
  fc.assert(
    fc.property(anyRows, anyWanted, (rows, wanted) => {
      const after = apply(rows, syncGrants(wanted, rows));
      const held = new Set(rows.filter((row) => row.withdrawn_at).map(keyOf));
      const expected = wanted
        .flatMap(({ benefit_ids, ...holder }) =>
          benefit_ids.map((benefit_id) => keyOf({ ...holder, benefit_id })),
        )
        .filter((key) => !held.has(key));
      expect(
        after
          .filter((row) => row.granted_at)
          .map(keyOf)
          .sort(),
      ).toEqual(expected.sort());
      expect(new Set(after.map(keyOf)).size).toBe(after.length);
    }),
    { numRuns: 1_000 },
  );
});

test('comparing again finds nothing', () => {
  fc.assert(
    fc.property(anyRows, anyWanted, (rows, wanted) => {
      const after = apply(rows, syncGrants(wanted, rows));
      expect(syncGrants(wanted, after)).toEqual({ create: [], restore: [], revoke: [] });
    }),
    { numRuns: 1_000 },
  );
});

test('two seats of one holder want what either wants', () => {
  const [holder] = holders;
  expect(
    mergeHolders([
      { ...holder!, benefit_ids: [] },
      { ...holder!, benefit_ids: ['b1'] },
    ]),
  ).toEqual([{ ...holder, benefit_ids: ['b1'] }]);
});
