import { type ConfigOf, grpcPeers, type ServiceConfig, serviceShape } from '@tributary/runtime/config.ts';

const peers = grpcPeers('identity', 'catalog', 'metering');

/** What commerce reads from the environment. */
export const commerceShape = { ...serviceShape, ...peers } as const;

export type CommerceConfig = ServiceConfig & ConfigOf<typeof peers>;
