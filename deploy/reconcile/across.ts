import { type Check, equal } from '@tributary/runtime/reconciliation/report.ts';
import type { Answer } from './ask.ts';

/** Records as each service counts them, against their owner's count. Without the owner's there is nothing to compare. */
export function checksAcross(answers: readonly Answer[]): { service: string; check: Check }[] {
  const counts = answers.flatMap((answer) =>
    'report' in answer ? answer.report.records.map((record) => ({ ...record, service: answer.service })) : [],
  );
  const owners = new Map(counts.filter(({ isOwner }) => isOwner).map((record) => [record.kind, record]));
  return counts.flatMap(({ service, kind, isOwner, count }) => {
    const owner = owners.get(kind);
    if (isOwner || !owner) return [];
    return [{ service, check: equal(`${kind}: as ${owner.service} has them`, owner.count, count) }];
  });
}
