import { invalid, Problem } from '@tributary/runtime/http/problem.ts';
import { InvalidSeatAssignmentRequest } from '../problems.ts';
import type { ContainerReference } from './store.ts';

interface Named {
  subscription_id?: string | null;
  order_id?: string | null;
  checkout_id?: string | null;
}

const referencesIn = (named: Named): ContainerReference[] => {
  const { subscription_id, order_id, checkout_id } = named;
  return [
    ...(subscription_id ? [{ subscription_id }] : []),
    ...(order_id ? [{ order_id }] : []),
    ...(checkout_id ? [{ checkout_id }] : []),
  ];
};

/** What a body says the seat is part of; exactly one thing (400). */
export function containerInBody(body: Named): ContainerReference {
  const [reference, ...more] = referencesIn(body);
  if (reference && more.length === 0) return reference;
  throw new Problem(InvalidSeatAssignmentRequest, 'Name exactly one of subscription_id and order_id.');
}

/** What a query asks the seats of; exactly one thing (422). */
export function containerInQuery(query: Named): ContainerReference {
  const [reference, ...more] = referencesIn(query);
  if (reference && more.length === 0) return reference;
  throw invalid(['query', 'subscription_id'], 'Name exactly one of subscription_id and order_id.');
}
