import { z } from 'zod';

/** An object of a state with all that the state knows of it. It may hold secrets. */
export interface StateObject {
  /** With module and index, such as `module.a.aws_subnet.s[0]`. */
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Attributes that are sensitive, or that have a part that is. */
  readonly sensitive: ReadonlySet<string>;
  /** Its creation was not finished: the next run replaces it. */
  readonly isTainted?: boolean;
}

const step = z.object({ type: z.string(), value: z.unknown() });
const state = z.object({
  resources: z
    .array(
      z.object({
        module: z.string().optional(),
        mode: z.string(),
        type: z.string(),
        name: z.string(),
        instances: z
          .array(
            z.object({
              index_key: z.union([z.string(), z.number()]).optional(),
              attributes: z.record(z.string(), z.unknown()).nullish(),
              sensitive_attributes: z.array(z.array(step)).nullish(),
              deposed: z.string().optional(),
              status: z.string().optional(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});

type Resource = z.output<typeof state>['resources'][number];

/** Managed objects by their addresses. Throws for what is no state of version 4. */
export function readStateObjects(bytes: Uint8Array): ReadonlyMap<string, StateObject> {
  const { resources } = state.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const objects = resources.filter(({ mode }) => mode === 'managed').flatMap(objectsOf);
  return new Map(objects.map((object) => [object.address, object]));
}

function objectsOf({ module, type, name, instances }: Resource): StateObject[] {
  const base = `${module === undefined ? '' : `${module}.`}${type}.${name}`;
  return instances.map(({ index_key: key, attributes, sensitive_attributes: paths, deposed, status }) => ({
    address: `${base}${key === undefined ? '' : `[${JSON.stringify(key)}]`}${deposed === undefined ? '' : ` (deposed ${deposed})`}`,
    type,
    name,
    attributes: attributes ?? {},
    isTainted: status === 'tainted',
    sensitive: new Set((paths ?? []).map(([first]) => String(first?.value))),
  }));
}
