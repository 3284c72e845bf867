/** A browser in which a user is logged in. */
export interface UserSession {
  id: string;
  user_id: string;
  token_hash: string;
  /** When the user proved who they are. */
  created_at: Date;
  email: string;
  email_verified: boolean;
  avatar_url: string | null;
}

export const SESSION_PREFIX = 'trb_us_';
export const SESSION_DAYS = 31;

export const sessionEnd = (start: Date): Date => new Date(start.getTime() + SESSION_DAYS * 86_400_000);
