import { CUSTOMER_SESSION_PREFIX, MEMBER_SESSION_PREFIX } from '../sessions/session.ts';
import { SESSION_PREFIX } from '../user-sessions/user-session.ts';

/** Prefixes of bearer tokens and other secrets (domain rules 10.1); the prefix tells where to look a token up. */
export const tokenPrefixes = {
  organization: 'trb_oat_',
  personal: 'trb_pat_',
  oauth2_user: 'trb_at_u_',
  oauth2_organization: 'trb_at_o_',
  oauth2_refresh_user: 'trb_rt_u_',
  authorization_code: 'trb_ac_',
  client_id: 'trb_ci_',
  client_secret: 'trb_cs_',
  registration: 'trb_crt_',
  customer_session: CUSTOMER_SESSION_PREFIX,
  member_session: MEMBER_SESSION_PREFIX,
  user_session: SESSION_PREFIX,
} as const;
