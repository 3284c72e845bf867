export const serviceNames = ['identity', 'catalog', 'commerce', 'metering', 'notifications'] as const;
export type ServiceName = (typeof serviceNames)[number];
