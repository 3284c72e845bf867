import { z } from 'zod';

/** Shapes that several messages share. */

/** Id of a record of this platform: UUID version 4 in form. */
export const RecordId = z.uuidv4();

/** Instant of a message: ISO 8601 in UTC or with an offset. */
export const Timestamp = z.iso.datetime({ offset: true });

/** Whole number of the currency's minor unit; negative for money that went back to the customer. */
export const MinorUnits = z.int().meta({ description: "Amount in the currency's minor unit" });

/** Lower-case ISO 4217 code. */
export const Currency = z.string().meta({ description: 'Currency, three lower-case letters' });

/**
 * Instant inside a system event's metadata. The contract declares a bare string there, so the form is checked
 * when the event is made but is not part of the published schema.
 */
export const Instant = z
  .string()
  .refine((text) => Timestamp.safeParse(text).success, {
    error: 'expected an ISO 8601 instant with an offset',
  })
  .meta({ description: 'ISO 8601 instant' });
