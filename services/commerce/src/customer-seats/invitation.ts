import { emailCommand, type OutgoingMessage } from '@tributary/proto/events/message.ts';
import { hashToken, isWellFormedToken, mintToken } from '@tributary/runtime/token.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import type { ProductCopy } from '../products/product.ts';
import { type CustomerSeat, type Invitation, invitationExpiry } from './customer-seat.ts';

const PREFIX = 'trb_si_';

/** A fresh invitation: the token goes out by mail, its hash stays. */
export function newInvitation(secret: string, now: Date): Invitation & { token: string } {
  const token = mintToken(PREFIX);
  return { token, hash: hashToken(token, secret), expires_at: invitationExpiry(now) };
}

/** The hash a token would be kept by; undefined for text that cannot be a token of ours. */
export const invitationHash = (token: string, secret: string): string | undefined =>
  isWellFormedToken(token, PREFIX) ? hashToken(token, secret) : undefined;

export interface InvitationParts {
  organization: OrganizationCopy;
  product: ProductCopy;
  buyer: Customer;
  publicUrl: string;
}

/** The mail that carries an invitation; none where the seat's holder has no address. */
export function invitationMail(
  seat: CustomerSeat,
  { token, expires_at }: Invitation & { token: string },
  { organization, product, buyer, publicUrl }: InvitationParts,
): OutgoingMessage[] {
  if (seat.email === null) return [];
  const claimUrl = new URL('/portal/claim', publicUrl);
  claimUrl.searchParams.set('invitation_token', token);
  const data = {
    organization_name: organization.name,
    product_name: product.name,
    billing_name: buyer.billing_name ?? buyer.name,
    claim_url: claimUrl.href,
    expires_at: expires_at.toISOString(),
  };
  return [
    emailCommand({ organization_id: organization.id, to: seat.email, template: 'seat_invitation', data }),
  ];
}
