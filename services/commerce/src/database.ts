import { NameRecordsInAnswers1768000000000 } from '@tributary/runtime/forget-record.ts';
import { checkouts } from './checkouts/store.ts';
import { customerSeats } from './customer-seats/store.ts';
import { customers } from './customers/store.ts';
import { members } from './members/store.ts';
import { CreateCommerce1764000000000 } from './migrations/1764000000000-create-commerce.ts';
import { CycleSubscriptionsAndSeatCustomers1764000100000 } from './migrations/1764000100000-cycle-subscriptions-and-seat-customers.ts';
import { RememberShownPrices1764000200000 } from './migrations/1764000200000-remember-shown-prices.ts';
import { OrderCanceledSubscriptions1764000300000 } from './migrations/1764000300000-order-canceled-subscriptions.ts';
import { orderItems, orders } from './orders/store.ts';
import { paymentMethods } from './payment-methods/store.ts';
import { payments } from './payments/store.ts';
import { subscriptionMeters, subscriptions } from './subscriptions/store.ts';

export const entities = [
  checkouts,
  customers,
  customerSeats,
  members,
  orders,
  orderItems,
  paymentMethods,
  payments,
  subscriptions,
  subscriptionMeters,
];

export const migrations = [
  CreateCommerce1764000000000,
  CycleSubscriptionsAndSeatCustomers1764000100000,
  RememberShownPrices1764000200000,
  OrderCanceledSubscriptions1764000300000,
  NameRecordsInAnswers1768000000000,
];
