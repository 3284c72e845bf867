import fc from 'fast-check';
import { type CloudEvent, fromHeaders, sourceOf, toHeaders } from './cloud-events.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });

const anyEvent: fc.Arbitrary<CloudEvent> = fc.record({
  id: fc.uuid({ version: 4 }),
  type: text,
  source: text,
  time: fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
  subject: fc.option(fc.string({ unit: 'grapheme' })),
  traceparent: fc.option(fc.string()),
});

const event: CloudEvent = {
  id: '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809',
  type: 'order.paid',
  source: sourceOf('commerce'),
  time: new Date('2026-04-01T09:30:00.000Z'),
  subject: '85c1e192-f2d6-45e3-b2c9-b1a40396d2f8',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

test('reading gives back what was written', () => {
  fc.assert(
    fc.property(anyEvent, (written) => {
      expect(fromHeaders(toHeaders(written))).toEqual(written);
    }),
  );
});

test('the names are those of the CloudEvents binding for Kafka', () => {
  expect(toHeaders(event)).toEqual({
    ce_specversion: '1.0',
    ce_id: '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809',
    ce_type: 'order.paid',
    ce_source: '/tributary/commerce',
    ce_time: '2026-04-01T09:30:00.000Z',
    ce_subject: '85c1e192-f2d6-45e3-b2c9-b1a40396d2f8',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'content-type': 'application/json',
  });
});

test('what is not known has no header', () => {
  const headers = toHeaders({ ...event, subject: null, traceparent: null });
  expect(headers).not.toHaveProperty('ce_subject');
  expect(headers).not.toHaveProperty('traceparent');
});

test('headers of others are overlooked', () => {
  expect(fromHeaders({ ...toHeaders(event), tracestate: 'a=b' })).toEqual(event);
});

test.each(['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time'])('%s is required', (name) => {
  expect(() => fromHeaders({ ...toHeaders(event), [name]: undefined })).toThrow(`header ${name} is missing`);
});

test('another version of CloudEvents is refused', () => {
  expect(() => fromHeaders({ ...toHeaders(event), ce_specversion: '2.0' })).toThrow(TypeError);
});

test('a time that is none is refused', () => {
  expect(() => fromHeaders({ ...toHeaders(event), ce_time: 'yesterday' })).toThrow(TypeError);
});
