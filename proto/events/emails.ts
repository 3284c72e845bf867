import { z } from 'zod';
import { RecordId } from './fields.ts';

/** An order to send one mail. */
export const EmailCommand = z.object({
  organization_id: RecordId.nullable().meta({ description: "Whose mail it is; null for the platform's own" }),
  to: z
    .string()
    .min(3)
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/)
    .meta({ description: "Recipient's address" }),
  template: z
    .string()
    .max(64)
    .regex(/^[a-z][a-z0-9._-]*$/),
  data: z.looseObject({}).meta({ description: 'What the template fills in; plain JSON' }),
});
export type EmailCommand = z.output<typeof EmailCommand>;

/** `ce_type` of an {@link EmailCommand}. */
export const EMAIL_TYPE = 'email.send';
