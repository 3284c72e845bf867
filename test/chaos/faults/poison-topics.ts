import { publishPoison } from '../topics.ts';
import type { Fault } from './fault.ts';

/** What no service can read, and what none can make sense of, on every topic: set aside, it holds nothing up. */
export const poisonTopics =
  (): Fault =>
  async ({ platform, load }) => {
    const ids = await publishPoison(platform.servers.broker);
    for (const id of ids) load.merchant.poison.add(id);
    return { note: `${2 * ids.length} messages that nobody can handle` };
  };
