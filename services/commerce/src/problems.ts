import { problemType } from '@tributary/runtime/http/problem.ts';

/** What commerce refuses by name (domain rules 13.4). */
export const AmbiguousExternalCustomerID = problemType('AmbiguousExternalCustomerID', 409);

export const ExpiredCheckoutError = problemType('ExpiredCheckoutError', 410);
export const NotOpenCheckout = problemType('NotOpenCheckout', 403);
export const CheckoutLocked = problemType('CheckoutLocked', 409);
export const AlreadyActiveSubscriptionError = problemType('AlreadyActiveSubscriptionError', 403);
export const TrialAlreadyRedeemed = problemType('TrialAlreadyRedeemed', 403);
export const DiscountRedemptionLimitReached = problemType('DiscountRedemptionLimitReached', 403);
export const PaymentNotReady = problemType('PaymentNotReady', 403);
export const EmbedHostNotAllowed = problemType('EmbedHostNotAllowed', 403);
export const PaymentError = problemType('PaymentError', 400);
export const CheckoutCustomerExternalIdMismatch = problemType('CheckoutCustomerExternalIdMismatch', 422);
export const CheckoutCustomerDeleted = problemType('CheckoutCustomerDeleted', 409);

/** What may stand in the way of changing a checkout. */
export const checkoutForbidden = [
  AlreadyActiveSubscriptionError,
  NotOpenCheckout,
  PaymentNotReady,
  TrialAlreadyRedeemed,
  DiscountRedemptionLimitReached,
] as const;

export const PaymentMethodSetupFailed = problemType('PaymentMethodSetupFailed', 400);
export const PaymentMethodInUseByActiveSubscription = problemType(
  'PaymentMethodInUseByActiveSubscription',
  400,
);
export const CustomerNotReady = problemType('CustomerNotReady', 403);

export const AlreadyCanceledSubscription = problemType('AlreadyCanceledSubscription', 403);
export const InactiveSubscription = problemType('InactiveSubscription', 403);
export const ResourceUnavailable = problemType('ResourceUnavailable', 410);
export const SubscriptionLocked = problemType('SubscriptionLocked', 409);
export const PaymentMethodRequired = problemType('PaymentMethodRequired', 409);

export const FeatureNotEnabled = problemType('FeatureNotEnabled', 403);
export const SeatNotAvailable = problemType('SeatNotAvailable', 400);
export const SeatAlreadyAssigned = problemType('SeatAlreadyAssigned', 400);
export const SeatNotPending = problemType('SeatNotPending', 400);
export const InvalidSeatAssignmentRequest = problemType('InvalidSeatAssignmentRequest', 400);
export const InvalidInvitationToken = problemType('InvalidInvitationToken', 400);
export const MemberEmailMismatch = problemType('MemberEmailMismatch', 400);

export const PaymentFailed = problemType('PaymentFailed', 402);
export const PauseResumeNotAllowed = problemType('PauseResumeNotAllowed', 403);
