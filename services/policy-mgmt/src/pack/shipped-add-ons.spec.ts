import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Policy } from '@crate/api';
import { compileTemplate, memberTypesOf } from '@crate/cel';
import { catalogued, readPacks, RuleReviewer } from '@crate/policy-engine';
import { checkStructure, type JsonSchema } from '@crate/resource-server';
import { InMemoryLogger } from '@crate/telemetry';
import { parseAllDocuments } from 'yaml';

const packs = await readPacks(fileURLToPath(new URL('../../packs', import.meta.url)));
const policies = packs.map(({ name, spec }) => catalogued({ metadata: { name }, spec } as Policy));
const reviewer = new RuleReviewer(new InMemoryLogger());

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

async function yamlOf(file: string): Promise<readonly unknown[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as unknown);
}

/** What lifecycle says of a cluster. */
const cluster = {
  ...{ name: 'demo', project: 'team-a', uid: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11', provider: 'aws' },
  ...{ region: 'us-east-1', account: 'main', kubernetesVersion: 'v1.31.4', cloudId: 'demo-1723af96' },
};
const facts = { name: 'cluster', members: Object.fromEntries(Object.keys(cluster).map((name) => [name, 'string'])) };

/** As they are installed when a cluster states no values. */
async function manifests(): Promise<readonly Manifest[]> {
  const root = fileURLToPath(new URL('../../../../deploy/add-ons', import.meta.url));
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
  return (await Promise.all(folders.map(installed))).flat();
}

async function installed(folder: string): Promise<readonly Manifest[]> {
  const [spec] = (await yamlOf(join(folder, 'package.yaml'))) as [{ readonly valuesSchema: JsonSchema }];
  const files = await readdir(join(folder, 'manifests'));
  const documents = await Promise.all(files.sort().map((file) => yamlOf(join(folder, 'manifests', file))));
  const variable = { name: 'values', members: memberTypesOf(spec.valuesSchema) };
  const { template, errors } = compileTemplate(documents.flat(), variable, [facts]);
  const rendered = template.render(checkStructure({}, spec.valuesSchema).body, { cluster });
  expect([...errors, ...rendered.errors]).toEqual([]);
  return rendered.result as readonly Manifest[];
}

/** Advice that is right for everybody else: the rule itself leaves this to drivers of volumes. A Project that wants silence has PolicyWaivers. */
const JUSTIFIED = ['ClusterRole ebs-csi-controller: nsa-no-persistent-volume-creation'];

describe('the add-ons that ship', () => {
  it('break no rule, not even one that is only tried out, but for what is their very purpose', async () => {
    const documents = await manifests();
    const broken = documents.flatMap((document) => {
      const subject = { namespace: 'team-a', name: document.metadata.name, cluster: 'demo' };
      const { violations, recorded = [] } = reviewer.review({ stage: 'Manifest', document, subject }, { policies });
      return [...violations, ...recorded].map(({ policy }) => `${document.kind} ${document.metadata.name}: ${policy}`);
    });

    expect(documents.map(({ kind }) => kind)).toContain('Deployment');
    expect(broken).toEqual(JUSTIFIED);
  });
});
