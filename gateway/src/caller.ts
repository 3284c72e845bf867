import type { Principal } from '@tributary/proto/principal.ts';
import { INTERNAL_TOKEN_SECONDS, signPrincipal } from '@tributary/runtime/http/internal-token.ts';
import { principalKey } from '@tributary/runtime/principal.ts';

/** Who makes a request, with the internal tokens that tell the services so. */
export interface Caller {
  readonly principal: Principal;
  /** Stable name of the caller; `anonymous` for all that show no credentials. */
  readonly key: string;
  /** The signed identity for one service; a promise only when it must be signed now. */
  tokenFor(service: string): string | Promise<string>;
}

/** A token is replaced this long before it expires: a request may be under way for a while. */
const MARGIN_MS = 60_000;

export interface CallerOptions {
  secret: string;
  now: () => Date;
}

/** A caller whose tokens are signed once per service and kept: signing costs more than the rest of the hop. */
export function callerOf(principal: Principal, { secret, now }: CallerOptions): Caller {
  const tokens = new Map<string, { token: string; staleAtMs: number }>();

  async function sign(service: string): Promise<string> {
    const signedAt = now();
    const token = await signPrincipal(principal, service, secret, signedAt);
    tokens.set(service, { token, staleAtMs: signedAt.getTime() + INTERNAL_TOKEN_SECONDS * 1000 - MARGIN_MS });
    return token;
  }

  return {
    principal,
    key: principalKey(principal),
    tokenFor(service) {
      const kept = tokens.get(service);
      return kept !== undefined && kept.staleAtMs > now().getTime() ? kept.token : sign(service);
    },
  };
}
