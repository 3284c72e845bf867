import { checkouts } from './checkouts/store.ts';
import { customers } from './customers/store.ts';
import { members } from './members/store.ts';
import { CreateCommerce1764000000000 } from './migrations/1764000000000-create-commerce.ts';
import { orderItems, orders } from './orders/store.ts';
import { paymentMethods } from './payment-methods/store.ts';
import { payments } from './payments/store.ts';
import { subscriptionMeters, subscriptions } from './subscriptions/store.ts';

export const entities = [
  checkouts,
  customers,
  members,
  orders,
  orderItems,
  paymentMethods,
  payments,
  subscriptions,
  subscriptionMeters,
];

export const migrations = [CreateCommerce1764000000000];
