/** An answer of the platform's HTTP API. */
export interface Answer {
  method: string;
  path: string;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: stories read answers of every shape
  body: any;
}

export interface ApiOptions {
  baseUrl: string;
  /** Bearer token; none for a buyer. */
  token?: string;
  /** Sees every answer, such as a check against the API's own document. */
  onAnswer?: (answer: Answer) => void;
}

/** Calls to the platform as one caller. */
export interface Api {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** The same platform as another caller. */
  as(token: string | undefined): Api;
}

/** A client of a running platform. Answers of any status are returned; see `expectStatus`. */
export function apiClient(options: ApiOptions): Api {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(options.baseUrl + path, {
      method,
      headers: {
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = {
      method,
      path,
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
    };
    options.onAnswer?.(answer);
    return answer;
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    as: (token) => apiClient({ ...options, token }),
  };
}

/** The body of an answer that must have the given status; throws with the whole answer otherwise. */
export function expectStatus(answer: Answer, status: number): Answer['body'] {
  if (answer.status !== status) {
    const body = JSON.stringify(answer.body)?.slice(0, 2_000);
    throw new Error(`${answer.method} ${answer.path} answered ${answer.status}, expected ${status}: ${body}`);
  }
  return answer.body;
}
