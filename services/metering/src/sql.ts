import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { ClientBase } from 'pg';
import type { Binder } from './filters/sql.ts';

/** Where statements of one transaction go. A name lets PostgreSQL keep the statement's plan. */
export interface Sql {
  query<T>(name: string, text: string, values: readonly unknown[]): Promise<T[]>;
}

/** Statements through TypeORM's transaction. */
export const sqlOf = (tx: Pick<Tx, 'query'>): Sql => ({
  async query<T>(_name: string, text: string, values: readonly unknown[]): Promise<T[]> {
    const answer: unknown = await tx.query(text, [...values]);
    return answer as T[];
  },
});

/** Statements through a bare connection, prepared once on each. */
export const preparedSql = (client: ClientBase): Sql => ({
  async query<T>(name: string, text: string, values: readonly unknown[]): Promise<T[]> {
    const { rows } = await client.query({ name, text, values: [...values] });
    return rows as T[];
  },
});

/** Collects the conditions and parameters of a statement. */
export class Conditions implements Binder {
  readonly values: unknown[];
  readonly #conditions: string[] = [];

  /** @param values parameters of the statement so far, shared with other conditions of it */
  constructor(values: unknown[] = []) {
    this.values = values;
  }

  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Adds a condition; `?` in it stands for the value. */
  add(condition: string, ...values: unknown[]): this {
    const rest = [...values];
    this.#conditions.push(condition.replaceAll('?', () => this.bind(rest.shift())));
    return this;
  }

  /** Adds a condition unless the value is absent. */
  addIf(value: unknown, condition: string): this {
    return value === undefined || value === null ? this : this.add(condition, value);
  }

  /**
   * Adds that a column is one of some values, unless they are absent. A single one is compared for equality, which lets
   * an index that starts with the column also give the order.
   */
  addIn(column: string, values: readonly unknown[] | undefined): this {
    if (values === undefined) return this;
    if (values.length === 1) return this.add(`${column} = ?`, values[0]);
    return this.add(`${column} = any(?)`, values);
  }

  /** Adds a condition that binds its own values. */
  addSql(sql: (binder: Binder) => string): this {
    this.#conditions.push(sql(this));
    return this;
  }

  get where(): string {
    return this.#conditions.length === 0 ? 'true' : this.#conditions.join(' and ');
  }
}
