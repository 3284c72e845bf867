import type { z } from 'zod';
import type { Tx } from '../db/transaction.ts';
import type { Message } from './message.ts';

/** One reaction to one kind of message; its file is named `on-<event>.ts`. */
export interface Consumer<App = never> {
  /** Unique and stable: the inbox remembers handled messages under this name. */
  name: string;
  topic: string;
  /** CloudEvents types it reacts to; all of the topic's when absent. */
  types?: readonly string[];
  /** A value that does not fit is parked at once. Tombstones are not checked. */
  schema?: z.ZodType;
  /** Remote calls and other slow reads, before the transaction. */
  prepare?(message: Message<never>, app: App): Promise<unknown>;
  /** The effect, in the transaction that also marks the message as handled. */
  handle(message: Message<never>, tx: Tx, app: App, prepared: never): Promise<void>;
}

interface Definition<App, S extends z.ZodType, F> {
  name: string;
  topic: string;
  types?: readonly string[];
  schema?: S;
  prepare?(message: Message<z.output<S>>, app: App): Promise<F>;
  handle(message: Message<z.output<S>>, tx: Tx, app: App, prepared: F): Promise<void>;
}

/** Gives a service its consumer constructor, typed by what its handlers need. */
export const consumerFor =
  <App>() =>
  <S extends z.ZodType, F = undefined>(definition: Definition<App, S, F>): Consumer<App> =>
    definition as Consumer<App>;
