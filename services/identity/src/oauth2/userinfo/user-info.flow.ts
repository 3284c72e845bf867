import type { Principal } from '@tributary/proto/principal.ts';
import { Problem, Unauthorized } from '@tributary/runtime/http/problem.ts';
import type { z } from 'zod';
import type { App } from '../../app.ts';
import { findUser } from '../../users/store.ts';
import type { UserInfo } from './schema.ts';

/** What the token's scopes let its holder know of the user (OpenID Connect Core, 5.3). */
export async function userInfo(app: App, principal: Principal): Promise<z.input<typeof UserInfo>> {
  if (principal.kind !== 'user') throw new Problem(Unauthorized, 'Not authenticated');
  const user = await findUser(app.db.manager, principal.user_id);
  if (!user) throw new Problem(Unauthorized, 'The user no longer exists.');
  if (!principal.scopes.includes('email')) return { sub: user.id };
  return { sub: user.id, email: user.email, email_verified: user.email_verified };
}
