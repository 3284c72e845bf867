import type { Reader } from '@tributary/runtime/db/transaction.ts';

const MAX_PENDING = 10_000;
/** A token in constant use is written once a minute at most. */
const ACCURACY = '1 minute';
const tables = ['organization_access_tokens', 'personal_access_tokens'] as const;
export type TokenTable = (typeof tables)[number];

/** When tokens were used last, gathered in memory and written in one statement per table. */
export interface LastUses {
  record(table: TokenTable, tokenId: string, at: Date): void;
  /** Writes what was gathered. What a crash loses is a few seconds of accuracy. */
  flush(db: Pick<Reader, 'query'>): Promise<void>;
}

export function gatherLastUses(): LastUses {
  const pending = new Map<TokenTable, Map<string, Date>>(tables.map((table) => [table, new Map()]));
  return {
    record(table, tokenId, at) {
      const uses = pending.get(table)!;
      if (uses.size < MAX_PENDING || uses.has(tokenId)) uses.set(tokenId, at);
    },
    async flush(db) {
      for (const [table, uses] of pending) {
        if (uses.size === 0) continue;
        const [ids, times] = [[...uses.keys()], [...uses.values()]];
        uses.clear();
        await db.query(
          `update ${table} token set last_used_at = used.at
           from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
           where token.id = used.id
             and (token.last_used_at is null or token.last_used_at <= used.at - interval '${ACCURACY}')`,
          [ids, times],
        );
      }
    },
  };
}
