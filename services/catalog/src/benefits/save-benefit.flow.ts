import { isDeepStrictEqual } from 'node:util';
import { stateChanged, stateDeleted, webhookEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import {
  type Issue,
  invalid,
  NotPermitted,
  Problem,
  ValidationProblem,
} from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { findUploaded } from '../files/store.ts';
import type { MeterCopy } from '../replicas.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import {
  type Benefit,
  type BenefitType,
  type BenefitVisibility,
  defaultVisibility,
  isVisibilityConfigurable,
  reachesGrants,
} from './benefit.ts';
import { presentBenefit } from './present.ts';
import type { BenefitCreate, BenefitUpdate, BenefitWire } from './schema.ts';
import { insertBenefit, lockBenefitsWithFile, updateBenefit } from './store.ts';

type Input = BenefitCreate | BenefitUpdate;
export type Meters = ReadonlyMap<string, MeterCopy>;

/** The meter a benefit credits, which metering owns; to be read before the transaction. */
export const readMeters = (app: App, input: Input): Promise<Meters> =>
  app.replicas.meters.get(
    app.db,
    input.type === 'meter_credit' && input.properties ? [input.properties.meter_id] : [],
  );

export async function createBenefit(
  tx: Tx,
  organizationId: string,
  input: BenefitCreate,
  meters: Meters,
  now: Date,
): Promise<BenefitWire> {
  await refuseWrong(tx, organizationId, input, meters);
  const benefit = {
    id: newId(),
    created_at: now,
    modified_at: null,
    deleted_at: null,
    organization_id: organizationId,
    type: input.type,
    description: input.description,
    selectable: true,
    deletable: true,
    visibility: input.visibility ?? defaultVisibility(input.type),
    metadata: input.metadata ?? {},
    properties: propertiesOf(input)!,
  } as Benefit;
  await insertBenefit(tx, benefit);
  return publish(tx, benefit, 'benefit.created', now);
}

export async function changeBenefit(
  tx: Tx,
  current: Benefit,
  input: BenefitUpdate,
  meters: Meters,
  now: Date,
): Promise<BenefitWire> {
  if (input.type !== current.type)
    throw invalid(['body', 'type'], 'The type of a benefit cannot change.', 'value_error', input.type);
  await refuseWrong(tx, current.organization_id, input, meters);
  const changed = {
    ...current,
    modified_at: now,
    description: input.description ?? current.description,
    visibility: input.visibility ?? current.visibility,
    metadata: input.metadata ?? current.metadata,
    properties: propertiesOf(input) ?? current.properties,
  } as Benefit;
  await updateBenefit(tx, changed);
  await requestSweep(tx, 'products-of-benefit', current.id, now);
  if (reachesGrants(current.type) && !isDeepStrictEqual(changed.properties, current.properties))
    await requestSweep(tx, 'grants-of-benefit', current.id, now);
  return publish(tx, changed, 'benefit.updated', now);
}

/** Takes a benefit from products, and in time from everybody who has it. */
export async function deleteBenefit(tx: Tx, current: Benefit, now: Date): Promise<void> {
  if (!current.deletable) throw new Problem(NotPermitted, 'This benefit cannot be deleted.');
  const deleted = { ...current, modified_at: now, deleted_at: now };
  await updateBenefit(tx, deleted);
  await requestSweep(tx, 'products-of-benefit', current.id, now);
  await requestSweep(tx, 'grants-of-benefit', current.id, now);
  await emit(tx, [
    stateDeleted('benefits', current.id),
    webhookEvent('benefit.updated', current.organization_id, presentBenefit(deleted), now),
  ]);
}

/** Takes a deleted file from the benefits that offer it. */
export async function detachFile(tx: Tx, organizationId: string, fileId: string, now: Date): Promise<void> {
  for (const benefit of await lockBenefitsWithFile(tx, organizationId, fileId)) {
    const { [fileId]: _gone, ...archived } = benefit.properties.archived;
    const files = benefit.properties.files.filter((id) => id !== fileId);
    const changed = { ...benefit, modified_at: now, properties: { files, archived } };
    await updateBenefit(tx, changed);
    await requestSweep(tx, 'products-of-benefit', benefit.id, now);
    await requestSweep(tx, 'grants-of-benefit', benefit.id, now);
    await publish(tx, changed, 'benefit.updated', now);
  }
}

async function publish(
  tx: Tx,
  benefit: Benefit,
  webhook: 'benefit.created' | 'benefit.updated',
  now: Date,
): Promise<BenefitWire> {
  const presented = presentBenefit(benefit);
  await emit(tx, [
    stateChanged('benefits', benefit.id, presented),
    webhookEvent(webhook, benefit.organization_id, presented, now),
  ]);
  return presented;
}

/** The properties to be stored, complete; undefined when the request leaves them as they are. */
function propertiesOf(input: Input): Benefit['properties'] | undefined {
  if (!input.properties) return undefined;
  switch (input.type) {
    case 'custom':
      return { note: input.properties.note ?? null };
    case 'downloadables':
      return { files: [...new Set(input.properties.files)], archived: input.properties.archived };
    case 'license_keys': {
      const { prefix, expires, activations, limit_usage } = input.properties;
      return {
        prefix: prefix || null,
        expires: expires ?? null,
        activations: activations ?? null,
        limit_usage: limit_usage ?? null,
      };
    }
    case 'meter_credit':
      return input.properties;
    case 'feature_flag':
      return {};
  }
}

async function refuseWrong(tx: Tx, organizationId: string, input: Input, meters: Meters): Promise<void> {
  const issues = [
    ...visibilityIssues(input.type, input.visibility),
    ...meterIssues(organizationId, input, meters),
    ...(await fileIssues(tx, organizationId, input)),
  ];
  if (issues.length > 0) throw new ValidationProblem(issues);
}

function visibilityIssues(type: BenefitType, visibility: BenefitVisibility | null | undefined): Issue[] {
  if (visibility == null || isVisibilityConfigurable(type) || visibility === defaultVisibility(type))
    return [];
  const msg = `The visibility of ${type} benefits cannot be chosen.`;
  return [{ loc: ['body', 'visibility'], msg, type: 'value_error', input: visibility }];
}

function meterIssues(organizationId: string, input: Input, meters: Meters): Issue[] {
  if (input.type !== 'meter_credit' || !input.properties) return [];
  const { meter_id } = input.properties;
  const meter = meters.get(meter_id);
  if (meter?.organization_id === organizationId && meter.archived_at === null) return [];
  const msg = meter?.organization_id === organizationId ? 'Meter is archived.' : 'Meter not found.';
  return [{ loc: ['body', 'properties', 'meter_id'], msg, type: 'value_error', input: meter_id }];
}

async function fileIssues(tx: Tx, organizationId: string, input: Input): Promise<Issue[]> {
  if (input.type !== 'downloadables' || !input.properties) return [];
  const ids = input.properties.files;
  const found = new Set((await findUploaded(tx, organizationId, 'downloadable', ids)).map((file) => file.id));
  return ids.flatMap((id, index) =>
    found.has(id)
      ? []
      : [
          {
            loc: ['body', 'properties', 'files', index],
            msg: 'File not found.',
            type: 'value_error',
            input: id,
          },
        ],
  );
}
