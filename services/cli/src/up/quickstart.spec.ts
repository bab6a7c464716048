import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiVersionOf, CLOUD_ACCOUNT, CLUSTER, PROJECT, type KubeObjectInput } from '@crate/api';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../config.js';

it('is made of valid documents, in an order in which they can be applied', () => {
  const text = readFileSync(join(repositoryRoot(), 'examples', 'quickstart.yaml'), 'utf8');
  const documents = parseAllDocuments(text).map((document) => document.toJS() as KubeObjectInput);
  const kinds = [PROJECT, CLOUD_ACCOUNT, CLUSTER];

  expect(documents.map(({ apiVersion, kind }) => [apiVersion, kind])).toEqual(
    kinds.map((definition) => [apiVersionOf(definition), definition.kind]),
  );
  for (const [index, { apiVersion: _version, kind: _kind, metadata: _metadata, ...body }] of documents.entries()) {
    expect(kinds[index]?.body.safeParse(body).error).toBeUndefined();
  }
  const [project, account, cluster] = documents;
  const spec = cluster?.['spec'] as { accountRef: { name: string } };
  expect([account?.metadata.namespace, cluster?.metadata.namespace]).toEqual([
    project?.metadata.name,
    project?.metadata.name,
  ]);
  expect(spec.accountRef.name).toBe(account?.metadata.name);
});
