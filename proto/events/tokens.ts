import { z } from 'zod';

/** A token stopped being good before its time; readers drop what they keep of it. */
export const TokenRevocation = z.object({
  token_id: z
    .string()
    .min(1)
    .max(128)
    .meta({ description: 'Id of the token, as its principal carries it; the token itself never travels' }),
});
export type TokenRevocation = z.output<typeof TokenRevocation>;

/** `ce_type` of a {@link TokenRevocation}. */
export const TOKEN_REVOKED_TYPE = 'token.revoked';
