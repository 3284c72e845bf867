import { openSync, readSync, statSync } from 'node:fs';

/** How PostgreSQL came to the rows of one statement. */
export interface SeenPlan {
  sql: string;
  ms: number;
  /** Each way into a table: an index's name, or `seq scan of …`; sorts of many rows as well. */
  ways: string[];
}

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Node[];
}

const MANY = 1_000;
/** Tables so small that a sequential scan is the best way through them. */
const SMALL = 200;

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
  return [...log.matchAll(/duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g)].map(([, ms, json]) => {
    const { 'Query Text': sql, Plan } = JSON.parse(json!) as { 'Query Text': string; Plan: Node };
    return {
      sql,
      ms: Number(ms),
      ways: [
        ...new Set(
          waysOf(Plan).map((way) =>
            way.replace(/events_(\d{4}_\d\d|default)/, 'events_*').replace(/idx\d+$/, 'idx'),
          ),
        ),
      ],
    };
  });
}

function waysOf(node: Node): string[] {
  const below = (node.Plans ?? []).flatMap(waysOf);
  const rows = node['Actual Rows'] * node['Actual Loops'];
  const own = node['Index Name'] ?? `seq scan of ${node['Relation Name']}`;
  switch (node['Node Type']) {
    case 'Index Scan':
    case 'Index Only Scan':
    case 'Bitmap Index Scan':
      return [...below, own];
    case 'Seq Scan':
      return rows > SMALL || isBig(node) ? [...below, own] : below;
    case 'Sort': {
      const sorted = node.Plans?.[0];
      const count = (sorted?.['Actual Rows'] ?? 0) * (sorted?.['Actual Loops'] ?? 1);
      return count > MANY ? [...below, `sort of ${count} rows`] : below;
    }
    default:
      return below;
  }
}

const isBig = (node: Node) =>
  ((node as { 'Rows Removed by Filter'?: number })['Rows Removed by Filter'] ?? 0) > SMALL;

/** A list's two statements among all that were seen: the page and the number of rows. */
export const pageAndCount = (plans: readonly SeenPlan[]) => ({
  page: plans.findLast(
    ({ sql }) => /\blimit \d+ offset|\blimit \d+$/i.test(sql.trim()) && !/outbox|claim_id|due_at/.test(sql),
  ),
  count: plans.findLast(({ sql }) => /^select (count\(|coalesce\(sum)/i.test(sql)),
});
