import type { Holder } from '../benefit-grants/grant.ts';

/** A file that a holder may fetch because of a benefit, and how often it did. */
export interface Downloadable extends Holder {
  id: string;
  organization_id: string;
  created_at: Date;
  benefit_id: string;
  file_id: string;
  downloads: number;
  last_downloaded_at: Date | null;
}
