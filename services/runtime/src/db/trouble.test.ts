import {
  KafkaJSConnectionError,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSRequestTimeoutError,
} from 'kafkajs';
import {
  CannotExecuteNotConnectedError,
  ConnectionIsNotSetError,
  EntityNotFoundError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
  TypeORMError,
} from 'typeorm';
import { invalid, notFound, Problem, problemType, ServiceUnavailable } from '../http/problem.ts';
import { isDatabaseTrouble, isTrouble } from './trouble.ts';

const withCode = (code: string, message = '') => Object.assign(new Error(message), { code });
const failed = (error: Error) => new QueryFailedError('select 1', [], error);

const lostConnections: [string, Error][] = [
  ...[
    'Connection terminated unexpectedly',
    'Connection terminated',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Cannot use a pool after calling end on the pool',
  ].map((message): [string, Error] => [`pg: ${message}`, new Error(message)]),
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENETDOWN',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_WRITE_AFTER_END',
  ].map((code): [string, Error] => [`socket: ${code}`, withCode(code)]),
  ['typeorm: released runner', new QueryRunnerAlreadyReleasedError()],
  ['typeorm: released provider', new QueryRunnerProviderAlreadyReleasedError()],
  ['typeorm: transaction that ended with its connection', new TransactionNotStartedError()],
  ['typeorm: not connected', new CannotExecuteNotConnectedError()],
  ['typeorm: no connection', new ConnectionIsNotSetError('postgres')],
  ['typeorm: disconnected driver', new TypeORMError('Driver not Connected')],
];

const serverStates = [
  '08000 connection_exception',
  '08006 connection_failure',
  '08P01 protocol_violation',
  '25006 read_only_sql_transaction',
  '25P03 idle_in_transaction_session_timeout',
  '40001 serialization_failure',
  '40P01 deadlock_detected',
  '53100 disk_full',
  '53300 too_many_connections',
  '57P01 admin_shutdown',
  '57P02 crash_shutdown',
  '57P03 cannot_connect_now',
  '57P05 idle_session_timeout',
  '58030 io_error',
];

describe('trouble with the database', () => {
  test.each(lostConnections)('%s', (_name, error) => {
    expect(isDatabaseTrouble(error)).toBe(true);
    expect(isDatabaseTrouble(failed(error))).toBe(true);
  });

  test.each(serverStates)('SQLSTATE %s', (state) => {
    const error = withCode(state.slice(0, 5), 'says PostgreSQL');
    expect(isDatabaseTrouble(error)).toBe(true);
    expect(isDatabaseTrouble(failed(error))).toBe(true);
  });
});

describe('a fault of the statement or the code', () => {
  test.each([
    ['unique_violation', failed(withCode('23505'))],
    ['invalid_text_representation', failed(withCode('22P02'))],
    ['undefined_column', failed(withCode('42703'))],
    ['in_failed_sql_transaction', failed(withCode('25P02'))],
    ['query_canceled: it would take as long again', failed(withCode('57014'))],
    ['typeorm: no such entity', new EntityNotFoundError('Order', {})],
    ['a bug', new TypeError("Cannot read properties of undefined (reading 'id')")],
    ['a refusal', notFound()],
    ['a refused value', invalid(['body'], 'no')],
    ['a conflict', new Problem(problemType('OrderPaid', 409), 'no')],
    ['kafkajs: a refusal', new KafkaJSNonRetriableError('The message is too large')],
    ['a string', 'Connection terminated'],
    ['nothing', undefined],
  ])('%s is no trouble', (_name, error) => {
    expect(isTrouble(error)).toBe(false);
  });
});

describe('trouble with a peer', () => {
  const away = new KafkaJSConnectionError('Connection timeout', { broker: 'a:1', code: 'ETIMEDOUT' });
  test.each([
    ['a service that is away', new Problem(ServiceUnavailable, 'away')],
    ['kafkajs: no connection', away],
    ['kafkajs: no answer', new KafkaJSRequestTimeoutError('timed out', {} as never)],
    [
      'kafkajs: no connection, however often',
      new KafkaJSNumberOfRetriesExceeded(away, { retryCount: 8, retryTime: 1 }),
    ],
  ])('%s', (_name, error) => {
    expect(isTrouble(error)).toBe(true);
  });
});
