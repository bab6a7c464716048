import { createHash } from 'node:crypto';
import type { KindInfo } from '@crate/resource-client';
import { openApiDocument, openApiPaths, wholeDocument, type ApiInfo, type Described } from './document.js';
import type { ServerDocument } from './server-paths.js';
import { toSwagger } from './swagger.js';
import { swaggerMessage } from './swagger-message.js';

/** A document as it is sent; the hash names its content. */
export interface Rendered {
  readonly body: Buffer;
  readonly hash: string;
}

/** The API's documents, made once for as long as the same kinds are served. */
export class OpenApiDocuments {
  private kinds: readonly KindInfo[] = [];
  private readonly rendered = new Map<string, Rendered | undefined>();

  constructor(
    private readonly info: ApiInfo,
    /** What the server offers beside kinds. */
    private readonly others: readonly ServerDocument[] = [],
  ) {}

  /** OpenAPI v3: where the document of each group and version is. The hash lets clients keep it for good. */
  index(kinds: readonly KindInfo[]): Rendered {
    return this.remember(kinds, 'v3', () => {
      const paths = openApiPaths(this.described(kinds)).map((path) => {
        const hash = this.version3(kinds, path)?.hash ?? '';
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
      });
      return json({ paths: Object.fromEntries(paths) });
    }) as Rendered;
  }

  /** OpenAPI v3 of one group and version; undefined when nothing is served there. */
  version3(kinds: readonly KindInfo[], path: string): Rendered | undefined {
    return this.remember(kinds, `v3/${path}`, () => {
      const document = openApiDocument(this.described(kinds), path, this.info);
      return document && json(document);
    });
  }

  /** OpenAPI v3 of all groups in one. */
  whole(kinds: readonly KindInfo[]): Rendered {
    return this.remember(kinds, 'whole', () => json(wholeDocument(this.described(kinds), this.info))) as Rendered;
  }

  /** OpenAPI v2 of all groups, as JSON or in the protobuf form that kubectl asks for. */
  version2(kinds: readonly KindInfo[], format: 'json' | 'protobuf'): Rendered {
    return this.remember(kinds, `v2/${format}`, () => {
      const swagger = toSwagger(wholeDocument(this.described(kinds), this.info));
      return format === 'json' ? json(swagger) : render(swaggerMessage(swagger));
    }) as Rendered;
  }

  private described(kinds: readonly KindInfo[]): Described {
    return { kinds, others: this.others };
  }

  private remember(kinds: readonly KindInfo[], key: string, make: () => Rendered | undefined): Rendered | undefined {
    if (!isSame(kinds, this.kinds)) {
      this.kinds = [...kinds];
      this.rendered.clear();
    }
    // A path that nobody serves is not kept: callers may ask for any number of them.
    const known = this.rendered.get(key) ?? make();
    if (known) this.rendered.set(key, known);
    return known;
  }
}

function isSame(left: readonly KindInfo[], right: readonly KindInfo[]): boolean {
  return left.length === right.length && left.every((kind, index) => kind === right[index]);
}

function json(document: unknown): Rendered {
  return render(Buffer.from(`${JSON.stringify(document)}\n`));
}

function render(body: Buffer): Rendered {
  return { body, hash: createHash('sha256').update(body).digest('hex').slice(0, 32).toUpperCase() };
}
