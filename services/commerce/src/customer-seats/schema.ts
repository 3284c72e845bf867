import { Id, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Email, ExternalId } from '../customers/schema.ts';
import { MemberShape } from '../members/schema.ts';
import { seatMachine } from './customer-seat.ts';

/** Ids of this resource are `uuid` in the contract, where all others are `uuid4`. */
const PlainId = Id.meta({ format: 'uuid' });
const reference = PlainId.nullable();
const optionalReference = PlainId.nullish();

export const SeatStatusShape = z
  .enum(seatMachine.statuses as ['pending', 'claimed', 'revoked'])
  .meta({ id: 'SeatStatus' });

const MAX_METADATA_KEYS = 10;
const MAX_METADATA_BYTES = 1_024;
const SeatMetadata = z
  .record(z.string().max(40), z.unknown())
  .refine((metadata) => Object.keys(metadata).length <= MAX_METADATA_KEYS, {
    error: `Metadata of a seat has at most ${MAX_METADATA_KEYS} keys.`,
  })
  .refine((metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= MAX_METADATA_BYTES, {
    error: `Metadata of a seat has at most ${MAX_METADATA_BYTES} bytes.`,
  });

export const CustomerSeatShape = z
  .object({
    created_at: resourceShape.created_at,
    modified_at: resourceShape.modified_at,
    id: PlainId,
    subscription_id: reference,
    order_id: reference,
    status: SeatStatusShape,
    customer_id: reference,
    member_id: reference,
    member: MemberShape.nullable(),
    email: z.string().nullable(),
    customer_email: z.string().nullable(),
    invitation_token_expires_at: Timestamp.nullable(),
    claimed_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    seat_metadata: z.looseObject({}).nullable(),
  })
  .meta({ id: 'CustomerSeat' });

const assignShape = {
  subscription_id: optionalReference,
  order_id: optionalReference,
  email: Email.nullish(),
  external_customer_id: ExternalId.nullish(),
  customer_id: optionalReference,
  external_member_id: ExternalId.nullish(),
  member_id: optionalReference,
  metadata: SeatMetadata.nullish(),
  immediate_claim: z.boolean().default(false),
};
export const SeatAssign = z.object(assignShape).meta({ id: 'SeatAssign' });
export const CustomerSeatAssign = z
  .object({ ...assignShape, checkout_id: optionalReference })
  .meta({ id: 'CustomerSeatAssign' });

export const SeatsList = z
  .object({ seats: z.array(CustomerSeatShape), available_seats: z.int(), total_seats: z.int() })
  .meta({ id: 'SeatsList' });

const InvitationToken = z.string().min(1).max(200);
export const invitationParams = z.object({ invitation_token: InvitationToken });
export const SeatClaim = z.object({ invitation_token: InvitationToken }).meta({ id: 'SeatClaim' });

export const SeatClaimInfo = z
  .object({
    product_name: z.string(),
    product_id: PlainId,
    organization_name: z.string(),
    organization_slug: z.string(),
    customer_email: z.string(),
    can_claim: z.boolean(),
  })
  .meta({ id: 'SeatClaimInfo' });

export const CustomerSeatClaimResponse = z
  .object({ seat: CustomerSeatShape, customer_session_token: z.string() })
  .meta({ id: 'CustomerSeatClaimResponse' });
