import { z } from 'zod';

export const UserInfo = z
  .object({
    sub: z.string(),
    name: z.string().nullish(),
    email: z.string().nullish(),
    email_verified: z.boolean().nullish(),
  })
  .meta({ id: 'UserInfoUser' });
