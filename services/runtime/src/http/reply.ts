import type { Readable } from 'node:stream';

/** An answer other than the route's usual status and JSON body: a redirect, a page, a file, a second status. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;

  /** @param body JSON value; a string, Buffer or stream when `headers` name another content type; undefined for none */
  constructor(
    status: number,
    body?: unknown | string | Buffer | Readable,
    headers: Record<string, string> = {},
  ) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
