import { type OutgoingMessage, stateChanged, webhookEvent } from '@tributary/proto/events/message.ts';
import { presentSeat, presentSeatState, type SeatView } from './present.ts';

type SeatWebhook = 'customer_seat.assigned' | 'customer_seat.claimed' | 'customer_seat.revoked';

/** What the world is told when seats change hands: the webhooks of the change, and each seat's new state. */
export function seatsChanged(
  views: readonly SeatView[],
  types: readonly SeatWebhook[],
  now: Date,
): OutgoingMessage[] {
  return views.flatMap((view) => {
    const presented = presentSeat(view);
    const { id, organization_id } = view.seat;
    return [
      ...types.map((type) => webhookEvent(type, organization_id, presented, now)),
      stateChanged('customer_seats', id, presentSeatState(view)),
    ];
  });
}
