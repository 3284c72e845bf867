import { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import { Principal } from '@tributary/proto/principal.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import type { Introspect } from './token-cache.ts';

const DEADLINE_MS = 5_000;

/** Asks the identity service over gRPC. @param address `host:port` */
export function identityClient(address: string, secret: string): { introspect: Introspect; close(): void } {
  const identity = connect(IdentityService, address, secret);
  return {
    close: identity.close,
    async introspect(token) {
      const { principal, expires_at } = await identity.introspect({ token }, DEADLINE_MS);
      return principal && { principal: Principal.parse(principal), expiresAt: expires_at };
    },
  };
}
