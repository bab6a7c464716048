import { useQuery } from '@tanstack/react-query';
import { apiJson } from '../../api/http.js';
import { collectionPath, type ApiKind } from '../../api/paths.js';

/** Something that one may do, or not. */
export interface Deed {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  readonly kind: ApiKind;
  readonly subresource?: string;
  /** Project of what is namespaced. */
  readonly namespace?: string | undefined;
  /** The object, where a role in it counts. */
  readonly name?: string | undefined;
}

interface Review {
  readonly status: { readonly allowed: boolean };
}

const GROUP = 'authorization.k8s.io';
const REVIEWS: ApiKind = {
  group: GROUP,
  version: 'v1',
  kind: '',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};
const REMEMBERED_MS = 60_000;

/** Whether the person may do this. True until the answer is there, and when there is none: the server decides anyway. */
export function useMay({ verb, kind, subresource, namespace, name }: Deed): boolean {
  const { group, version, plural: resource } = kind;
  const { data } = useQuery({
    queryKey: ['may', namespace, verb, group, resource, subresource, name],
    queryFn: ({ signal }) =>
      apiJson<Review>(collectionPath(REVIEWS), {
        method: 'POST',
        signal,
        body: {
          apiVersion: `${GROUP}/v1`,
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { namespace, verb, group, version, resource, subresource, name } },
        },
      }),
    staleTime: REMEMBERED_MS,
  });
  return data?.status.allowed !== false;
}
