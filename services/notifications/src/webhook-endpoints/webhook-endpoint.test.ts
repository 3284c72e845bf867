import { newId } from '@tributary/proto/id.ts';
import {
  afterEvent,
  changeWebhookEndpoint,
  deletedWebhookEndpoint,
  newWebhookEndpoint,
} from './webhook-endpoint.ts';

const CREATED = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-02T00:00:00Z');
const endpoint = newWebhookEndpoint(
  {
    url: 'https://example.com',
    name: 'Backend',
    format: 'raw',
    events: ['order.paid', 'order.paid', 'order.created'],
  },
  { id: newId(), organization_id: newId(), sealed_secret: 'v1.sealed' },
  CREATED,
);

test('a new endpoint is on and lists each kind once', () => {
  expect(endpoint).toMatchObject({
    enabled: true,
    events: ['order.paid', 'order.created'],
    modified_at: null,
  });
});

test('an update leaves out what it does not name, and what it names as null, except the name', () => {
  const nothing = { url: null, format: null, events: null, enabled: null };
  expect(changeWebhookEndpoint(endpoint, nothing, LATER)).toEqual({ ...endpoint, modified_at: LATER });
  expect(changeWebhookEndpoint(endpoint, { name: null }, LATER).name).toBeNull();
  expect(changeWebhookEndpoint(endpoint, { events: [] }, LATER).events).toEqual([]);
});

test('a deleted endpoint is off and keeps no secret', () => {
  expect(deletedWebhookEndpoint(endpoint, LATER)).toMatchObject({
    enabled: false,
    deleted_at: LATER,
    sealed_secret: '',
  });
});

test('the tenth failed event in a row switches an endpoint off, once', () => {
  let state = endpoint;
  for (let failed = 1; failed < 10; failed += 1) state = afterEvent(state, false, LATER);
  expect(state).toMatchObject({ enabled: true, consecutive_failures: 9, modified_at: null });
  state = afterEvent(state, false, LATER);
  expect(state).toMatchObject({ enabled: false, consecutive_failures: 10, modified_at: LATER });
  expect(afterEvent(state, false, LATER)).toMatchObject({ enabled: false, consecutive_failures: 11 });
});

test('a success starts the count anew, and so does switching on again; another update does not', () => {
  const failing = { ...endpoint, consecutive_failures: 9 };
  expect(afterEvent(failing, true, LATER).consecutive_failures).toBe(0);
  expect(afterEvent(endpoint, true, LATER)).toBe(endpoint);
  expect(changeWebhookEndpoint(failing, { enabled: true }, LATER).consecutive_failures).toBe(9);
  const off = { ...failing, enabled: false };
  expect(changeWebhookEndpoint(off, { enabled: true }, LATER).consecutive_failures).toBe(0);
});
