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

const prepared = new WeakMap<pg.ClientBase, Set<string>>();

/**
 * Statements that are sent together and followed by a single Sync, which makes them one transaction (PostgreSQL's
 * documentation, “Pipelining”): either side is woken once, and nothing need be sent to begin or to commit. A
 * `Submittable` of pg.
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
    await this.#prepare(client);
    client.query(this);
    return this.#settled.promise;
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    const known = prepared.get(client) ?? new Set();
    prepared.set(client, known);
    for (const { name, text } of this.#executions) {
      if (!known.has(name)) await client.query(`prepare ${name} as ${text}`);
      known.add(name);
    }
  }

  submit(connection: object): void {
    const { stream } = connection as Connection;
    stream.cork();
    for (const { name, values } of this.#executions) {
      (connection as Connection).bind({ statement: name, values });
      (connection as Connection).execute();
    }
    (connection as Connection).sync();
    stream.uncork();
  }

  /** Whatever the statements did until then is undone; what is not an error of theirs is the end of the connection. */
  handleError(error: { severity?: string }): void {
    if (error.severity === 'ERROR') this.#settled.resolve(false);
    else this.#settled.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settled.resolve(true);
  }

  handleCommandComplete(): void {}
  handleDataRow(): void {}
}
