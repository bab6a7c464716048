import { isSecretKey, REDACTED, Redactor } from '@crate/telemetry';

/** What of a JSON schema says which fields are secret; `writeOnly` as in OpenAPI. */
export interface SecretSchema {
  readonly writeOnly?: unknown;
  readonly properties?: Readonly<Record<string, SecretSchema>>;
  readonly items?: SecretSchema | boolean | readonly SecretSchema[];
  readonly additionalProperties?: SecretSchema | boolean;
  readonly allOf?: readonly SecretSchema[];
  readonly anyOf?: readonly SecretSchema[];
  readonly oneOf?: readonly SecretSchema[];
}

/** Schemas of the value at a place: several where a schema has alternatives. */
type Schemas = readonly SecretSchema[];

const shapes = new Redactor();

/** What a schema says of secrets at one place of a document. Made once for each place that it names: every write asks for the same. */
export class SecretPlace {
  private static readonly roots = new WeakMap<SecretSchema, SecretPlace>();
  private readonly schemas: Schemas;
  private readonly isWriteOnly: boolean;
  private readonly named = new Map<string, SecretPlace>();
  private items: SecretPlace | undefined;
  private others: SecretPlace | undefined;

  /** Where no schema says anything, which goes for all that is below: what people nest there must not be kept. */
  private static readonly unknown = new SecretPlace([]);

  private constructor(schemas: Schemas) {
    this.schemas = schemas.flatMap(expanded);
    this.isWriteOnly = this.schemas.some(({ writeOnly }) => writeOnly === true);
  }

  /** Of a whole document; without a schema names and shapes alone tell what is secret. */
  static of(schema: SecretSchema | undefined): SecretPlace {
    if (!schema) return SecretPlace.unknown;
    let root = SecretPlace.roots.get(schema);
    if (!root) SecretPlace.roots.set(schema, (root = new SecretPlace([schema])));
    return root;
  }

  /** Of a member, or of an item of a list: then the key is a number. */
  member(key: string | number): SecretPlace {
    if (this.schemas.length === 0) return this;
    if (typeof key === 'number') return (this.items ??= new SecretPlace(this.schemas.flatMap(itemsOf)));
    const isNamed = this.schemas.some(({ properties }) => properties && Object.hasOwn(properties, key));
    // Names that no schema knows are without number, such as those of labels.
    if (!isNamed) return (this.others ??= new SecretPlace(this.schemas.flatMap(othersOf)));
    let place = this.named.get(key);
    if (!place)
      this.named.set(key, (place = new SecretPlace(this.schemas.flatMap((schema) => membersOf(schema, key)))));
    return place;
  }

  /** True where the schema says `writeOnly`, or the name of the field, which is the place's own, says that it holds a secret. */
  isSecret(key: string | number): boolean {
    return this.isWriteOnly || (typeof key === 'string' && isSecretKey(key));
  }

  /** A copy without secrets: by schema, by the names of fields, and by shapes such as private keys and tokens. */
  redact(value: unknown): unknown {
    if (typeof value === 'string') return shapes.redactText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const item = this.member(0);
      return value.map((each) => item.redact(each));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const place = this.member(key);
        return [key, place.isSecret(key) ? REDACTED : place.redact(member)];
      }),
    );
  }
}

function membersOf(schema: SecretSchema, key: string): Schemas {
  const { properties } = schema;
  const named = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return named ? [named] : othersOf(schema);
}

function othersOf({ additionalProperties }: SecretSchema): Schemas {
  return isSchema(additionalProperties) ? [additionalProperties] : [];
}

function itemsOf({ items }: SecretSchema): Schemas {
  return isSchema(items) ? [items] : [];
}

function expanded(schema: SecretSchema): Schemas {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [schema, ...[...allOf, ...anyOf, ...oneOf].flatMap(expanded)];
}

function isSchema(value: unknown): value is SecretSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
