import { type Grant, type Holder, isGranted, isSameHolder } from './grant.ts';

/** A holder with the benefits it should have now. */
export interface Wanted extends Holder {
  benefit_ids: readonly string[];
}

/** What must happen for the grants to be as wanted. */
export interface Difference<G> {
  /** Benefits nobody has granted to the holder yet. */
  create: (Holder & { benefit_id: string })[];
  /** Revoked grants that come back. */
  restore: G[];
  revoke: G[];
}

type Existing = Pick<Grant, 'customer_id' | 'member_id' | 'benefit_id' | 'granted_at' | 'withdrawn_at'>;

/**
 * Compares the grants of one subscription or order with what its holders should have. Applying the difference gives
 * exactly that; comparing again then finds nothing. Grants that the merchant holds back are left alone.
 * @param existing grants of the holders in `wanted`, and of nobody else
 */
export function syncGrants<G extends Existing>(
  wanted: readonly Wanted[],
  existing: readonly G[],
): Difference<G> {
  const known = new Set(existing.map((grant) => keyOf(grant, grant.benefit_id)));
  const wantedKeys = new Set(wanted.flatMap((holder) => holder.benefit_ids.map((id) => keyOf(holder, id))));
  const isWanted = (grant: G) => wantedKeys.has(keyOf(grant, grant.benefit_id));
  const create = wanted.flatMap((holder) =>
    [...new Set(holder.benefit_ids)]
      .filter((id) => !known.has(keyOf(holder, id)))
      .map((benefit_id) => ({ customer_id: holder.customer_id, member_id: holder.member_id, benefit_id })),
  );
  return {
    create,
    restore: existing.filter((grant) => !isGranted(grant) && grant.withdrawn_at === null && isWanted(grant)),
    revoke: existing.filter((grant) => isGranted(grant) && !isWanted(grant)),
  };
}

/** Holders without repetition; a benefit wanted through any of a holder's seats is wanted. */
export function mergeHolders(wanted: readonly Wanted[]): Wanted[] {
  const merged: (Holder & { benefit_ids: string[] })[] = [];
  for (const { benefit_ids, ...holder } of wanted) {
    const known = merged.find((other) => isSameHolder(other, holder));
    if (known) known.benefit_ids = [...new Set([...known.benefit_ids, ...benefit_ids])];
    else merged.push({ ...holder, benefit_ids: [...benefit_ids] });
  }
  return merged;
}

const keyOf = (holder: Holder, benefitId: string): string =>
  `${holder.customer_id} ${holder.member_id} ${benefitId}`;
