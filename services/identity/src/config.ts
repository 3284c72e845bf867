import { type ConfigOf, type ServiceConfig, secret, serviceShape } from '@tributary/runtime/config.ts';

/**
 * What identity reads from the environment. `TOKEN_SECRET` keys the hashes that stand for tokens and seals the private
 * signing keys: with another value every token is unknown.
 */
export const identityShape = { ...serviceShape, TOKEN_SECRET: secret } as const;

export type IdentityConfig = ServiceConfig & Pick<ConfigOf<{ TOKEN_SECRET: typeof secret }>, 'tokenSecret'>;
