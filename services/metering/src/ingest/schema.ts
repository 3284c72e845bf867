import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/**
 * Shapes of the ingest request for the API's description. Requests are read by `readBatch`, which checks the same at a
 * fraction of the cost.
 */
const CostMetadata = z
  .object({ amount: z.union([z.number(), z.string()]), currency: z.string().regex(/usd/) })
  .meta({ id: 'CostMetadata-Input' });

export const LlmMetadata = z
  .object({
    vendor: z.string(),
    model: z.string(),
    prompt: z.string().nullable().optional(),
    response: z.string().nullable().optional(),
    input_tokens: z.int(),
    cached_input_tokens: z.int().optional(),
    output_tokens: z.int(),
    total_tokens: z.int(),
  })
  .meta({ id: 'LLMMetadata' });

const EventMetadataInput = z
  .object({ _cost: CostMetadata.optional(), _llm: LlmMetadata.optional() })
  .catchall(z.union([z.string().min(1).max(500), z.int(), z.number(), z.boolean()]))
  .meta({ id: 'EventMetadataInput' });

const common = {
  timestamp: z.iso.datetime({ offset: true }).meta({ format: 'date-time' }).optional(),
  name: z.string().max(128),
  organization_id: Id.nullable().optional(),
  external_id: z.string().nullable().optional(),
  parent_id: z.string().nullable().optional(),
  metadata: EventMetadataInput.optional(),
};

const EventCreateCustomer = z
  .object({ ...common, customer_id: Id, member_id: Id.nullable().optional() })
  .meta({ id: 'EventCreateCustomer' });

const EventCreateExternalCustomer = z
  .object({
    ...common,
    external_customer_id: z.string(),
    external_member_id: z.string().nullable().optional(),
  })
  .meta({ id: 'EventCreateExternalCustomer' });

export const EventsIngest = z
  .object({ events: z.array(z.union([EventCreateCustomer, EventCreateExternalCustomer])) })
  .meta({ id: 'EventsIngest' });

export const EventsIngestResponse = z
  .object({ inserted: z.int(), duplicates: z.int().default(0) })
  .meta({ id: 'EventsIngestResponse' });
