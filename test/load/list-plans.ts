import { openSync, readSync, statSync } from 'node:fs';

/** How PostgreSQL came to the rows of one statement. */
export interface SeenPlan {
  sql: string;
  ms: number;
  /** Each index that was used, and each table that was read whole. */
  ways: string[];
  /** What no index helped with. */
  toil: Toil[];
}

/** Rows that were read from a whole table, thrown away after they were read, or sorted. */
export interface Toil {
  what: string;
  rows: number;
}

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

/** Tables so small that a sequential scan is the best way through them, and sorts of so few rows, are not told. */
const FEW = 200;

/** Settings under which PostgreSQL writes down every statement's plan as it was carried out. */
export const planSettings = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
};

/** Reads the plans that were written to the server's log since the last call. */
export function planReader(logFile: string): () => SeenPlan[] {
  let position = statSync(logFile).size;
  const file = openSync(logFile, 'r');
  return () => {
    const bytes = Buffer.alloc(statSync(logFile).size - position);
    readSync(file, bytes, 0, bytes.length, position);
    position += bytes.length;
    return plansIn(bytes.toString());
  };
}

function plansIn(log: string): SeenPlan[] {
  return [...log.matchAll(/duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g)].flatMap(([, ms, json]) => {
    const plan = parsed(json!);
    if (!plan) return [];
    const nodes = nodesOf(plan.Plan);
    const toil = nodes.flatMap(toilOf).filter(({ rows }) => rows > FEW);
    const whole = toil.filter(({ what }) => what.startsWith('seq scan')).map(({ what }) => what);
    const indexes = nodes.flatMap((node) => node['Index Name'] ?? []).map(partitioned);
    const ways = [...new Set([...whole, ...indexes])];
    return [{ sql: plan['Query Text'], ms: Number(ms), ways, toil: added(toil) }];
  });
}

/** Undefined where the server is still writing: that is a job's; a request's are complete before its answer. */
function parsed(json: string): { 'Query Text': string; Plan: Node } | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Search has to read through the events of the running month: it is given indexes for that once it is over. */
export const RUNNING_MONTH = 'events of this month';
const runningPartition = `events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;

/** One name for all months of events that are over, and for their indexes. */
const partitioned = (name: string): string =>
  name === runningPartition
    ? RUNNING_MONTH
    : name.replace(/events_(\d{4}_\d\d|default)/, 'events_*').replace(/idx\d+$/, 'idx');

function toilOf(node: Node): Toil[] {
  const times = (rows: number | undefined) => Math.round((rows ?? 0) * node['Actual Loops']);
  const kept = times(node['Actual Rows']);
  const table = partitioned(node['Relation Name'] ?? 'a result');
  const removed =
    times(node['Rows Removed by Filter']) +
    times(node['Rows Removed by Index Recheck']) +
    times(node['Rows Removed by Join Filter']);
  if (node['Node Type'] === 'Seq Scan') return [{ what: `seq scan of ${table}`, rows: kept + removed }];
  if (node['Node Type'] === 'Sort' || node['Node Type'] === 'Incremental Sort') {
    const sorted = node.Plans![0]!;
    return [{ what: 'sort', rows: Math.round(sorted['Actual Rows'] * sorted['Actual Loops']) }];
  }
  return [{ what: `${table} thrown away`, rows: removed }];
}

/** The same toil in several partitions or branches is one. */
const added = (toil: readonly Toil[]): Toil[] =>
  [...Map.groupBy(toil, ({ what }) => what)].map(([what, same]) => ({
    what,
    rows: same.reduce((sum, { rows }) => sum + rows, 0),
  }));

/** A list's two statements among all that were seen: the page and the number of rows. */
export const pageAndCount = (plans: readonly SeenPlan[]) => ({
  page: plans.findLast(
    ({ sql }) => /\blimit (\d+|\$\d+)( offset |$)/i.test(sql.trim()) && !OF_A_JOB.test(sql),
  ),
  count: plans.findLast(({ sql }) => /^select (count\(|coalesce\(sum)/i.test(sql)),
});

const OF_A_JOB = /outbox|claim_id|due_at/;

/** One line: the ways, the time, and what no index helped with. */
export const describePlan = ({ ways, ms, toil }: SeenPlan): string =>
  [
    `${ways.join(' + ') || 'no index'} ${ms.toFixed(1)} ms`,
    ...toil
      .filter(({ what }) => !what.startsWith('seq scan'))
      .map(({ what, rows }) => `${rows} rows ${what}`),
  ].join(', ');
