import type { Access } from '@tributary/proto/access.ts';
import { route } from '../../app.ts';
import { UserInfo } from './schema.ts';
import { userInfo } from './user-info.flow.ts';

/** OpenID Connect Core, 5.3: a token of the code flow that holds `openid`; a personal token will not do. */
const access: Access = { schemes: ['oidc'], scopes: ['openid'] };

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
