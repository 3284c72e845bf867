import { republish } from '../topics.ts';
import type { Fault } from './fault.ts';

/** What lies on the event topics is put there twice more, with the same ids. */
export const repeatMessages = (): Fault => async (scene) => {
  const repeated = await republish(scene.platform.servers.broker, scene.load.since, 2);
  const wrong = repeated === 0 ? ['there was nothing to repeat'] : [];
  return { note: `${repeated} repetitions`, wrong };
};
