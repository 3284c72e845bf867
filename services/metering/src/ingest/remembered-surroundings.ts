import { nameKey } from './name-key.ts';
import type { OrganizationState, Surroundings, Wanted } from './surroundings-store.ts';

/** Entries of a kind kept in memory; beyond it they are forgotten and looked up anew. */
const MOST = 100_000;
/** The integrators' ids have up to 512 characters, and need not mean anybody. */
const MOST_NAMES = 20_000;

/** What was found around earlier events. It may have changed since: whoever uses it has the database compare. */
export class RememberedSurroundings {
  readonly #organizations = new Map<string, OrganizationState>();
  readonly #customers = new Map<string, Surroundings['customers'][number]>();
  readonly #members = new Map<string, Surroundings['members'][number]>();
  readonly #external = new Map<string, Surroundings['external'][number]>();

  keep({ organizations, customers, members, external }: Surroundings): void {
    for (const one of organizations) keep(this.#organizations, one.organization_id, one);
    for (const one of customers) keep(this.#customers, one.id, one);
    for (const one of members) keep(this.#members, one.id, one);
    for (const one of external) keep(this.#external, nameOf(one), one, MOST_NAMES);
  }

  /** Undefined unless everything wanted was found before. */
  recall(wanted: Wanted): Surroundings | undefined {
    const organizations = all(this.#organizations, wanted.organizations);
    const customers = all(this.#customers, wanted.customers);
    const members = all(this.#members, wanted.members);
    const external = all(this.#external, wanted.external.map(nameOf));
    return (
      organizations && customers && members && external && { organizations, customers, members, external }
    );
  }
}

const nameOf = (name: { organization_id: string; external_id: string }) =>
  nameKey(name.organization_id, name.external_id);

function keep<T>(known: Map<string, T>, key: string, value: T, most = MOST): void {
  if (known.size >= most && !known.has(key)) known.clear();
  known.set(key, value);
}

function all<T>(known: ReadonlyMap<string, T>, keys: readonly string[]): T[] | undefined {
  const found: T[] = [];
  for (const key of keys) {
    const value = known.get(key);
    if (value === undefined) return undefined;
    found.push(value);
  }
  return found;
}
