import { Problem } from '../http/problem.ts';
import { sqlState } from './transaction.ts';

/**
 * SQLSTATE classes and codes that speak of the server or of others at work on it, not of the statement: connection,
 * standby, idle transaction cut off, deadlock, resources, operator, system. A statement that was canceled for taking too
 * long (57014) is not among them: it would again.
 */
const SERVER_TROUBLE = /^(08|25006|25P03|40001|40P01|53|57P|58)/;
/** The system's names for a connection that cannot be made or was lost, and Node's for writing to one that is gone. */
const SOCKET_TROUBLE =
  /^(ECONN|ENOTFOUND$|EAI_AGAIN$|EHOST|ENET|ETIMEDOUT$|EPIPE$|ERR_STREAM_(DESTROYED|WRITE_AFTER_END)$)/;
/** What pg says without a code when a connection ends under it, or none becomes free in time. */
const LOST_CONNECTION =
  /^(Connection (terminated|ended)|Client (has encountered a connection error|was closed)|timeout (exceeded when trying to connect|expired)|Query read timeout|Cannot use a pool after calling end|Driver not Connected)/;
/** What TypeORM throws at whoever still works with a connection that it has taken away because it broke. */
const TYPEORM_TROUBLE = new Set([
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
  'TransactionNotStartedError',
  'CannotExecuteNotConnectedError',
  'ConnectionIsNotSetError',
]);

/** Whether the database cannot be reached or cannot work now: the same statement may succeed later. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = sqlState(error) ?? '';
  const cause = (error as { driverError?: unknown }).driverError;
  return (
    SERVER_TROUBLE.test(code) ||
    SOCKET_TROUBLE.test(code) ||
    LOST_CONNECTION.test(error.message) ||
    TYPEORM_TROUBLE.has(error.name) ||
    (cause !== undefined && isDatabaseTrouble(cause))
  );
}

/** Whether something else than the request is to blame, so that it is right to try again later: database or peer. */
export const isTrouble = (error: unknown): boolean =>
  isDatabaseTrouble(error) ||
  isBrokerTrouble(error) ||
  (error instanceof Problem && error.type.status === 503);

/** kafkajs says itself whether trying again may help; when it has done so often enough, its cause does. */
function isBrokerTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || !error.name.startsWith('KafkaJS')) return false;
  return (error as { retriable?: boolean }).retriable === true || isBrokerTrouble(error.cause);
}
