import {
  type ConfigOf,
  grpcPeers,
  integer,
  type ServiceConfig,
  serviceShape,
} from '@tributary/runtime/config.ts';

const peers = grpcPeers('commerce', 'catalog');

/** What metering reads from the environment. */
export const meteringShape = {
  ...serviceShape,
  ...peers,
  /** Months after which events are deleted with their partition; kept for good when absent. */
  EVENT_RETENTION_MONTHS: integer(1, 1_200).optional(),
} as const;

export type MeteringConfig = ServiceConfig &
  ConfigOf<typeof peers> & { readonly eventRetentionMonths?: number };
