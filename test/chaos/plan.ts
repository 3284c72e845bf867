import { serviceNames } from '@tributary/embedded/service-names.ts';
import { processNames } from './environment.ts';
import { atOnce, type Fault, inTurn } from './faults/fault.ts';
import { freezeProcess } from './faults/freeze-process.ts';
import { killOneOfTwo, killProcess } from './faults/kill-process.ts';
import {
  killConsumer,
  killGatewayMidRequest,
  killMidRequest,
  killRelay,
} from './faults/kill-while-writing.ts';
import { poisonTopics } from './faults/poison-topics.ts';
import { rebalance } from './faults/rebalance.ts';
import { repeatMessages } from './faults/repeat-messages.ts';
import { restartPostgres } from './faults/restart-postgres.ts';
import { rollingRestart } from './faults/rolling-restart.ts';
import { stopKafka } from './faults/stop-kafka.ts';
import { stopRedis } from './faults/stop-redis.ts';
import { twoSchedulers } from './faults/two-schedulers.ts';

export interface Scale {
  /** Of each process, at random moments. */
  kills: number;
  /** Of each kind, at a moment that is waited for. */
  aimedKills: number;
  outageMs: number;
}

/** Every fault under its name, in the order of a full run. */
export const faultsAt = ({ kills, aimedKills, outageMs }: Scale): { [name: string]: Fault } => ({
  'rolling-restart': rollingRestart(processNames),
  ...Object.fromEntries(processNames.map((name) => [`kill-${name}`, killProcess(name, kills)])),
  'kill-one-of-two': inTurn([killOneOfTwo('commerce', aimedKills), killOneOfTwo('catalog', aimedKills)]),
  // Between the broker's acknowledgement and the delete from the outbox.
  'kill-relay': inTurn([
    killRelay('commerce', aimedKills),
    atOnce([killRelay('catalog', aimedKills), killRelay('metering', aimedKills)]),
  ]),
  // Between the handling of a message and its commit.
  'kill-consumer': atOnce([
    killConsumer('catalog', 'outbox', aimedKills),
    killConsumer('metering', 'outbox', aimedKills),
    killConsumer('notifications', 'webhook_events', aimedKills),
  ]),
  'kill-mid-request': inTurn([
    killMidRequest('commerce', 'outbox', aimedKills),
    killMidRequest('metering', 'event_external_ids', aimedKills),
  ]),
  'kill-gateway-mid-request': killGatewayMidRequest('commerce', 'outbox', aimedKills),
  'stop-kafka': stopKafka(outageMs, 'stop'),
  'kill-kafka': stopKafka(outageMs / 6, 'kill'),
  'restart-postgres': restartPostgres('stop'),
  'kill-postgres': restartPostgres('kill'),
  'stop-redis': stopRedis(outageMs / 2),
  ...Object.fromEntries(serviceNames.map((name) => [`freeze-${name}`, freezeProcess(name, outageMs / 2)])),
  'repeat-messages': repeatMessages(),
  rebalance: rebalance(serviceNames, outageMs / 6),
  'two-schedulers': twoSchedulers(),
  'poison-topics': poisonTopics(),
});
