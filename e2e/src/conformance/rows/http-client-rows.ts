import type { ConformanceBench } from '../bench.js';
import { aChannel, aCluster, anAccount, anAccountWithKeys, type Document } from '../documents.js';
import type { Client, Row } from '../row.js';
import { listingRows } from './http-listing.js';
import { requestRows } from './http-requests.js';
import { watchingRows } from './http-watching.js';

/** A collection that rows try, in a Project of their own. */
export interface HttpScope {
  readonly bench: ConformanceBench;
  readonly project: string;
  /** Path of the collection. */
  readonly path: string;
  readonly kind: string;
  /** Of the service that owns the kind, in the database. */
  readonly schema: string;
  readonly anObject: (name: string, labels?: Record<string, string>) => Document;
  /** Of a kind of the same service with a secret in it, and the field of the spec that shows which. */
  readonly withSecret: { readonly aDocument: (secret: string) => Document; readonly shownAs: string };
}

export type HttpRows = (scope: HttpScope) => readonly Row[];

/** What plain HTTP clients can do: once with a kind of the service that answers, once with one it reaches over NATS. */
export function httpClients(bench: ConformanceBench): readonly Client[] {
  return [
    clientOf(bench, {
      version: 'own kind',
      project: 'http-own',
      path: '/apis/lifecycle.crate.dev/v1alpha1/namespaces/http-own/clusters',
      kind: 'Cluster',
      schema: 'lifecycle',
      anObject: (name, labels = {}) => aCluster(name, { labels }),
      withSecret: { aDocument: aChannel, shownAs: 'secretsFingerprint' },
    }),
    clientOf(bench, {
      version: 'over NATS',
      project: 'http-nats',
      path: '/apis/cloud.crate.dev/v1alpha1/namespaces/http-nats/cloudaccounts',
      kind: 'CloudAccount',
      schema: 'cloud_mgmt',
      anObject: anAccount,
      withSecret: { aDocument: anAccountWithKeys, shownAs: 'credentialsFingerprint' },
    }),
  ];
}

function clientOf(bench: ConformanceBench, options: Omit<HttpScope, 'bench'> & { readonly version: string }): Client {
  const { version, ...rest } = options;
  const scope = { bench, ...rest };
  return {
    family: 'Plain HTTP',
    version,
    rows: [requestRows, listingRows, watchingRows].flatMap((rows) => rows(scope)),
    prepare: () => bench.project(scope.project),
  };
}
