export const CUSTOMER_SESSION_PREFIX = 'trb_cst_';
export const MEMBER_SESSION_PREFIX = 'trb_mst_';
const HOUR_MS = 3_600_000;

/** A customer, or a member of one, who is let into the portal. */
export interface Session {
  id: string;
  organization_id: string;
  customer_id: string;
  member_id: string | null;
  member_role: string | null;
  return_url: string | null;
  expires_at: Date;
}

/** Customer and member sessions last an hour (domain rules 7.4). */
export const sessionEnd = (start: Date): Date => new Date(start.getTime() + HOUR_MS);
