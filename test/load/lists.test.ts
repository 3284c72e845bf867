import { filtersWithoutCase, measuredLists } from './list-cases.ts';
import { pageAndCount, planReader, RUNNING_MONTH, type SeenPlan } from './list-plans.ts';
import { ask, type ListSite, logPlans, openSite, pathsOf } from './list-site.ts';

const ROWS = 10_000;
/** No statement of a list reads in vain, or sorts, this many rows. */
const TOILSOME = ROWS / 5;

/** Cases that find so much of so few rows, or follow so many, that sorting all is as good as any index. */
const findsMuch: Readonly<Record<string, readonly string[]>> = {
  '/v1/events/': [
    'end_timestamp',
    'depth',
    'metadata[plan]',
    'organization_id={organization_id}&query=call_17',
  ],
  '/v1/event-types/': ['root_events'],
  '/v1/customers/': ['query=acme'],
  '/v1/customer-meters/': ['(all of several organizations)'],
};
const isLeftOut = (path: string, name: string) =>
  name === 'page=200' || (findsMuch[path] ?? []).some((start) => name.startsWith(start));

let site: ListSite;
let plansSince: () => SeenPlan[];

beforeAll(async () => {
  const services = new Set(measuredLists.map(({ service }) => service));
  // So few rows may well be read whole; but is there an index for when they are many?
  site = await openSite(ROWS, [...services], undefined, { enable_seqscan: 'off' });
  await logPlans(site, true);
  plansSince = planReader(site.platform.postgresLog);
}, 300_000);

afterAll(() => site?.stop());

describe.each(measuredLists)('$path', (list) => {
  test('is tried with each of its filters', () => {
    expect(filtersWithoutCase(list)).toEqual([]);
  });

  test('finds what it is asked for by an index', async () => {
    const paths = await pathsOf(site, list);
    const toil: string[] = [];
    for (const [place, { name, caller }] of list.cases.entries()) {
      if (isLeftOut(list.path, name)) continue;
      plansSince();
      await ask(site.platform, site.tokens[caller], paths[place]!);
      const { page, count } = pageAndCount(plansSince());
      toil.push(...toilOf([page, count]).map((done) => `${name}: ${done}`));
    }
    expect(toil).toEqual([]);
  }, 120_000);
});

const toilOf = (plans: readonly (SeenPlan | undefined)[]): string[] =>
  plans.flatMap((plan) =>
    (plan?.toil ?? [])
      .filter(({ what, rows }) => rows >= TOILSOME && !what.includes(RUNNING_MONTH))
      .map(({ what, rows }) => `${what} (${rows} rows)`),
  );
