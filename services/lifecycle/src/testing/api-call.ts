import { request } from 'node:https';

/** What the public API answered. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed when it is JSON. */
  readonly body: Record<string, unknown>;
}

export interface ApiCall {
  readonly method?: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** A body as it is, such as YAML; in place of `body`. */
  readonly text?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Sent beside the others. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request to a server whose certificate is trusted by itself. */
export async function callApi(url: string, ca: Buffer, call: ApiCall): Promise<ApiAnswer> {
  const { method = 'GET', path, token, body, contentType = 'application/json' } = call;
  const text = call.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { 'content-type': contentType }),
    ...(call.accept === undefined ? {} : { accept: call.accept }),
    ...call.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers, ca, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parse(text) }),
      );
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

/** Lines of a watch until it ends or `enough` of them came. */
export async function watchApi(url: string, ca: Buffer, call: ApiCall, enough: number): Promise<readonly unknown[]> {
  const headers = { authorization: `Bearer ${call.token}` };
  return new Promise((resolve, reject) => {
    let text = '';
    const sent = request(new URL(call.path, url), { headers, ca, agent: false }, (response) => {
      const lines = (): readonly unknown[] => {
        const whole = text.split('\n').slice(0, -1);
        return whole.map((line) => JSON.parse(line) as unknown);
      };
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (lines().length < enough) return;
        sent.destroy();
        resolve(lines());
      });
      response.on('end', () => resolve(lines()));
    });
    sent.on('error', reject);
    sent.end();
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}
