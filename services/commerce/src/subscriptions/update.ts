import type { Metadata } from '@tributary/runtime/http/wire.ts';
import { type Farewell, scheduleCancellation, withdrawCancellation, withFarewell } from './cancellation.ts';
import { revokeSubscription, type Subscription } from './subscription.ts';

/** One kind of change, as merchants and customers may ask for it. */
export type SubscriptionChange =
  | { kind: 'metadata'; metadata: Metadata | undefined }
  | { kind: 'cancel'; farewell: Farewell }
  | { kind: 'uncancel' }
  | { kind: 'revoke'; farewell: Farewell };

/** What a change comes to: the next state, and by which name the world is told. */
export interface Changed {
  next: Subscription;
  told: 'nothing' | 'updated' | 'cancellationScheduled' | 'cancellationWithdrawn' | 'ended';
}

export function change(subscription: Subscription, asked: SubscriptionChange, now: Date): Changed {
  switch (asked.kind) {
    case 'metadata':
      if (asked.metadata === undefined) return { next: subscription, told: 'nothing' };
      return { next: { ...subscription, metadata: asked.metadata, modified_at: now }, told: 'updated' };
    case 'cancel':
      return {
        next: scheduleCancellation(withFarewell(subscription, asked.farewell), now),
        told: 'cancellationScheduled',
      };
    case 'uncancel':
      return { next: withdrawCancellation(subscription, now), told: 'cancellationWithdrawn' };
    case 'revoke':
      return { next: revokeSubscription(withFarewell(subscription, asked.farewell), now), told: 'ended' };
  }
}
