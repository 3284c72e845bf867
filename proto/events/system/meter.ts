import { z } from 'zod';

/** Credits reached a customer meter, or its count started anew. */
export const meterEvents = {
  'meter.credited': z
    .object({
      meter_id: z.string(),
      units: z.int(),
      rollover: z
        .boolean()
        .meta({ description: 'True for unused credits carried over from the last period' }),
    })
    .meta({ id: 'MeterCreditedMetadata' }),
  'meter.reset': z.object({ meter_id: z.string() }).meta({ id: 'MeterResetMetadata' }),
};

export const meterSubject = ['meter_id'] as const;
