import { sqlState } from '@tributary/runtime/db/transaction.ts';
import type pg from 'pg';

/** A statement that is prepared once on each connection, and what it is executed with. */
export interface Execution {
  name: string;
  text: string;
  /** Text, or arrays in binary format. */
  values: readonly (string | Buffer | null)[];
}

/** The part of pg's connection that the extended query protocol needs. */
interface Connection {
  stream: { cork(): void; uncork(): void };
  bind(portal: { statement: string; values: readonly unknown[] }): void;
  execute(): void;
  sync(): void;
}

/** SQLSTATE classes of lost connections, servers that go down, and trouble of the system below them. */
const OF_THE_SERVER = /^(08|57P|58)/;

/** Whether an error says that the database refused a statement, which leaves everything as it was. */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !OF_THE_SERVER.test(state);
}

const prepared = new WeakMap<pg.ClientBase, Set<string>>();

/** Prepares what the connection has not prepared yet. */
export async function prepare(client: pg.ClientBase, executions: readonly Execution[]): Promise<void> {
  const known = prepared.get(client) ?? new Set();
  prepared.set(client, known);
  for (const { name, text } of executions) {
    if (!known.has(name)) await client.query(`prepare ${name} as ${text}`);
    known.add(name);
  }
}

/**
 * Prepared statements that are sent together and followed by a single Sync, which makes them one transaction
 * (PostgreSQL's documentation, “Pipelining”): either side is woken once, and nothing need be sent to begin or to commit.
 * A `Submittable` of pg.
 */
export class Trip {
  readonly #executions: readonly Execution[];
  readonly #settled = Promise.withResolvers<boolean>();

  constructor(executions: readonly Execution[]) {
    this.#executions = executions;
  }

  /**
   * @returns whether it was committed; false if the database refused it, which leaves everything as it was
   * @throws when the connection is lost: what became of it, nobody knows
   */
  async go(client: pg.ClientBase): Promise<boolean> {
    client.query(this);
    return this.#settled.promise;
  }

  submit(given: object): void {
    const connection = given as Connection;
    connection.stream.cork();
    try {
      for (const { name, values } of this.#executions) {
        connection.bind({ statement: name, values });
        connection.execute();
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  /** Whatever the statements did until then is undone; what is not an error of theirs is the end of the connection. */
  handleError(error: unknown): void {
    if (isRefusal(error)) this.#settled.resolve(false);
    else this.#settled.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settled.resolve(true);
  }

  handleCommandComplete(): void {}
  handleDataRow(): void {}
}
