/** What tells an organization's name for something, such as an external id, from those of all others. */
export const nameKey = (organizationId: string, name: string): string => `${organizationId} ${name}`;
