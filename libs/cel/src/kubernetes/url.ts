import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';

/** Source: RFC 3986, appendix B; a fragment is a part of what comes before it, as in Go's `url.ParseRequestURI`. */
const TEXT = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?]*))?(\/[^?]*)?(?:\?(.*))?$/;
const HOST = /^(?:[^@]*@)?(\[[0-9a-fA-F:.]+\]|[^:[\]]*)(?::(\d*))?$/;
const FORBIDDEN = /[\s<>"{}|\\^`]|%(?![0-9a-fA-F]{2})/;

interface Parts {
  readonly scheme: string;
  /** With the port, as it was written. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly search: string;
}

/** A URL with a scheme, or an absolute path. */
export class Url {
  private constructor(
    private readonly text: string,
    readonly parts: Parts,
  ) {}

  static find(text: string): Url | undefined {
    const found = FORBIDDEN.test(text) || text === '' || text.startsWith('?') ? null : TEXT.exec(text);
    if (!found) return undefined;
    const [, scheme = '', authority = '', escapedPath = '', search = ''] = found;
    const named = HOST.exec(authority);
    if (!named) return undefined;
    const [, name = '', port = ''] = named;
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    const hostname = name.replace(/^\[|\]$/g, '');
    return new Url(text, { scheme: scheme.toLowerCase(), host, hostname, port, escapedPath, search });
  }

  /** Throws BadRequest for what is neither. */
  static parse(text: string): Url {
    const found = Url.find(text);
    if (!found) throw badRequest(`${JSON.stringify(text)} is no URL`);
    return found;
  }

  /** Decoded values by key. */
  get query(): ReadonlyMap<string, readonly string[]> {
    const parameters = new URLSearchParams(this.parts.search);
    return new Map([...new Set(parameters.keys())].map((key) => [key, [...parameters.getAll(key)]]));
  }

  equals(other: Url): boolean {
    return this.text === other.text;
  }

  toString(): string {
    return this.text;
  }
}

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library */
export function addUrls(environment: Environment): void {
  environment
    .registerType('kubernetes.URL', Url)
    .registerOperator('kubernetes.URL == kubernetes.URL', (left: Url, right: Url) => left.equals(right))
    .registerFunction('url(string): kubernetes.URL', (text: string) => Url.parse(text))
    .registerFunction('isURL(string): bool', (text: string) => Url.find(text) !== undefined)
    .registerFunction('kubernetes.URL.getScheme(): string', ({ parts }: Url) => parts.scheme)
    .registerFunction('kubernetes.URL.getHost(): string', ({ parts }: Url) => parts.host)
    .registerFunction('kubernetes.URL.getHostname(): string', ({ parts }: Url) => parts.hostname)
    .registerFunction('kubernetes.URL.getPort(): string', ({ parts }: Url) => parts.port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ parts }: Url) => parts.escapedPath)
    .registerFunction('kubernetes.URL.getQuery(): map<string, list<string>>', (url: Url) => url.query);
}
