import { NameRecordsInAnswers1768000000000 } from '@tributary/runtime/forget-record.ts';
import { MeterEntity } from './meters/entity.ts';
import { CreateMetering1763683200000 } from './migrations/1763683200000-create-metering.ts';
import { CountReceipts1763942400000 } from './migrations/1763942400000-count-receipts.ts';
import { NoteFirstEvents1763953200000 } from './migrations/1763953200000-note-first-events.ts';
import { RefuseIngest1764100000000 } from './migrations/1764100000000-refuse-ingest.ts';

export const entities = [MeterEntity];

export const migrations = [
  CreateMetering1763683200000,
  CountReceipts1763942400000,
  NoteFirstEvents1763953200000,
  RefuseIngest1764100000000,
  NameRecordsInAnswers1768000000000,
];
