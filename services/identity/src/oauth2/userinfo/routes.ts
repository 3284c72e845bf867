import type { Access } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { Problem, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import { type App, route } from '../../app.ts';
import { findUser } from '../../users/store.ts';

const access: Access = { schemes: ['oidc'], scopes: ['openid'] };

const UserInfo = z
  .object({
    sub: z.string(),
    name: z.string().nullish(),
    email: z.string().nullish(),
    email_verified: z.boolean().nullish(),
  })
  .meta({ id: 'UserInfoUser' });

/** What the token's scopes let its holder know of the user (OpenID Connect Core, 5.3). */
async function userInfo(app: App, principal: Principal): Promise<z.input<typeof UserInfo>> {
  if (principal.kind !== 'user') throw new Problem(Unauthorized, 'Not authenticated');
  const user = await findUser(app.db.manager, principal.user_id);
  if (!user) throw new Problem(Unauthorized, 'The user no longer exists.');
  if (!principal.scopes.includes('email')) return { sub: user.id };
  return { sub: user.id, email: user.email, email_verified: user.email_verified };
}

export const userInfoRoutes = [
  route({
    method: 'GET',
    path: '/v1/oauth2/userinfo',
    operation: 'oauth2:userinfo',
    summary: 'Get user info',
    access,
    response: UserInfo,
    handle: ({ principal }, app) => userInfo(app, principal),
  }),
  route({
    method: 'POST',
    path: '/v1/oauth2/userinfo',
    operation: 'oauth2:userinfo_post',
    summary: 'Get user info (POST)',
    access,
    response: UserInfo,
    handle: ({ principal }, app) => userInfo(app, principal),
  }),
];
