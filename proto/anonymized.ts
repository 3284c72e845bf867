/** Where the owner of customers notes in their metadata when a person was taken out of the record (domain rules 7.1). */
export const ANONYMIZED_KEY = '__anonymized_at';

/**
 * Whether a customer's state is what is left of it after its person asked to be forgotten. While the customer is there
 * its metadata are the merchant's, who may use any key.
 */
export const isAnonymized = (customer: {
  deleted_at?: unknown;
  metadata?: Readonly<Record<string, unknown>> | null;
}): boolean => customer.deleted_at != null && Object.hasOwn(customer.metadata ?? {}, ANONYMIZED_KEY);
