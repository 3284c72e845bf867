import { Problem } from '../http/problem.ts';
import { sqlState } from './transaction.ts';

/**
 * SQLSTATE classes and codes that speak of the server, not of the statement: connection, resources, operator, system.
 * A statement that was canceled for taking too long (57014) is not among them: it would again.
 */
const SERVER_TROUBLE = /^(08|53|57P|58|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)/;
/** What the driver says without a code when a connection ends under it, or none becomes free in time. */
const LOST_CONNECTION =
  /^(Connection terminated|Connection ended|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed)/;

/** Whether the database cannot be reached or cannot work now: the same statement may succeed later. */
export const isDatabaseTrouble = (error: unknown): boolean =>
  SERVER_TROUBLE.test(sqlState(error) ?? '') || LOST_CONNECTION.test(messageOf(error));

/** Whether something else than the request is to blame, so that it is right to try again later: database or peer. */
export const isTrouble = (error: unknown): boolean =>
  isDatabaseTrouble(error) || (error instanceof Problem && error.type.status === 503);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');
