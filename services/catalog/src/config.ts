import {
  type ConfigOf,
  grpcPeers,
  httpUrl,
  type ServiceConfig,
  serviceShape,
  text,
} from '@tributary/runtime/config.ts';

const ownShape = {
  ...grpcPeers('identity', 'commerce', 'metering'),
  /** Folder that keeps uploaded files; needed unless a bucket is named. */
  FILES_DIRECTORY: text.optional(),
  /** Bucket that keeps uploaded files instead. Credentials come from where the AWS SDK looks for them. */
  S3_BUCKET: text.optional(),
  S3_REGION: text.default('us-east-1'),
  /** Address of another server that speaks S3; its buckets are then paths, not hosts. */
  S3_ENDPOINT: httpUrl.optional(),
} as const;

/** What the catalog reads from the environment. */
export const catalogShape = { ...serviceShape, ...ownShape } as const;

type Own = ConfigOf<typeof ownShape>;
export type CatalogConfig = ServiceConfig &
  Omit<Own, 's3Region' | 's3Bucket' | 's3Endpoint' | 'filesDirectory'> &
  Partial<Own>;
