import type { MethodDefinition } from '@grpc/grpc-js';

// biome-ignore lint/suspicious/noExplicitAny: request and reply types differ per method
type AnyMethod = MethodDefinition<any, any>;

/** A unary gRPC service as ts-proto generates it. */
export type Definition = Readonly<Record<string, AnyMethod>>;

type RequestOf<M> = M extends { requestDeserialize: (bytes: Buffer) => infer R } ? R : never;
type ReplyOf<M> = M extends { responseDeserialize: (bytes: Buffer) => infer R } ? R : never;

/** What a server provides for a definition: one async function per method. */
export type Implementation<D extends Definition> = {
  [K in keyof D]: (request: RequestOf<D[K]>) => Promise<ReplyOf<D[K]>>;
};

/** What a client offers for a definition: the same functions, with a deadline in milliseconds. */
export type Client<D extends Definition> = {
  [K in keyof D]: (request: RequestOf<D[K]>, deadlineMs?: number) => Promise<ReplyOf<D[K]>>;
};

/** Metadata key that carries a problem as JSON `{name, status, detail}`. */
export const PROBLEM_KEY = 'problem-bin';
/** Metadata key of the secret that services share. */
export const SECRET_KEY = 'authorization';
