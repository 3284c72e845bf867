import { publishUnreadable } from '../topics.ts';
import type { Fault } from './fault.ts';

/** Messages that no service can read, on every topic: they are set aside and hold nothing up. */
export const poisonTopics = (): Fault => async (scene) => {
  const published = await publishUnreadable(scene.platform.servers.broker);
  return { note: `${published} unreadable messages` };
};
