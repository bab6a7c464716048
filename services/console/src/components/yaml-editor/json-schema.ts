/** A JSON schema, as OpenAPI 3.0 documents hold them; references point below `components` of the outermost one. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> };
}

/** Where something is in a document: keys of maps, indexes of lists. */
export type FieldPath = readonly (string | number)[];

/** The schema of what is at `path`; undefined where the schema says nothing. */
export function schemaAt(root: JsonSchema, path: FieldPath): JsonSchema | undefined {
  let here: JsonSchema | undefined = resolved(root, root);
  for (const key of path) {
    if (!here) return undefined;
    here = below(root, here, key);
  }
  return here;
}

function below(root: JsonSchema, schema: JsonSchema, key: string | number): JsonSchema | undefined {
  if (typeof key === 'number') return schema.items && resolved(root, schema.items);
  const own = schema.properties?.[key];
  if (own) return resolved(root, own);
  return typeof schema.additionalProperties === 'object' ? resolved(root, schema.additionalProperties) : undefined;
}

/** Follows references, and takes a single `allOf` for what it wraps; words beside the reference stay. */
export function resolved(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const { allOf, ...rest } = schema;
  const first = allOf?.length === 1 ? allOf[0] : undefined;
  if (first) return { ...resolved(root, first), ...rest };
  const name = schema.$ref?.split('/').at(-1);
  const target = name === undefined ? undefined : root.components?.schemas?.[name];
  return target
    ? { ...resolved(root, target), ...(schema.description && { description: schema.description }) }
    : schema;
}
