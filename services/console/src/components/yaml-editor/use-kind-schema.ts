import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { apiJson } from '../../api/http.js';
import type { ApiKind } from '../../api/paths.js';
import type { JsonSchema } from './json-schema.js';

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, KindOfSchema>> };
}

type KindOfSchema = JsonSchema & {
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly kind: string }[];
};

/** The schema of a kind as the server serves it, which speaks of what runs there; undefined until it has come. */
export function useKindSchema({ group, version, kind }: ApiKind): JsonSchema | undefined {
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const { data } = useQuery({
    queryKey: ['openapi', path],
    queryFn: ({ signal }) => apiJson<OpenApi>(`/openapi/v3/${path}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => data && schemaOf(data, group, kind), [data, group, kind]);
}

/** The schema of one kind, with the parts that it refers to. */
export function schemaOf({ components }: OpenApi, group: string, kind: string): JsonSchema | undefined {
  const own = Object.values(components?.schemas ?? {}).find((schema) =>
    schema['x-kubernetes-group-version-kind']?.some((each) => each.group === group && each.kind === kind),
  );
  return own && { ...own, components };
}
