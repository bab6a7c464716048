import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadAddOnPackages } from './add-on-packages.js';

const shipped = fileURLToPath(new URL('../../../deploy/add-ons', import.meta.url));
const spec = 'displayName: X\ndescription: An add-on\nversion: 1.0.0\n';
const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n';

describe('loadAddOnPackages', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'add-ons-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function write(files: Record<string, string>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
  }

  it('reads documents in the order of files, then of documents', async () => {
    await write({
      'x/package.yaml': spec,
      'x/manifests/20.yaml': object.replace('name: x', 'name: third'),
      'x/manifests/10.yaml': `${object}---\n${object.replace('name: x', 'name: second')}`,
      'x/manifests/notes.txt': 'not a manifest',
    });
    const [draft] = await loadAddOnPackages(root);

    expect(draft).toMatchObject({ kind: 'AddOn', metadata: { name: 'x' }, spec: { dependsOn: [] } });
    expect(draft?.spec.manifests.map(({ metadata }) => metadata.name)).toEqual(['x', 'second', 'third']);
  });

  it('puts dependencies before what depends on them', async () => {
    await write({
      'a/package.yaml': `${spec}dependsOn: [b]\n`,
      'a/manifests/x.yaml': object,
      'b/package.yaml': spec,
      'b/manifests/x.yaml': object,
    });

    expect((await loadAddOnPackages(root)).map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
  });

  it.each([
    { name: 'a field missing', file: 'displayName: X\ndescription: Y\n', says: 'spec.version' },
    { name: 'a field unknown', file: `${spec}colour: red\n`, says: 'x: spec' },
    { name: 'no YAML', file: 'displayName: [', says: 'package.yaml' },
    { name: 'a dependency missing', file: `${spec}dependsOn: [y]\n`, says: 'spec.dependsOn' },
    { name: 'a dependency on itself', file: `${spec}dependsOn: [x]\n`, says: 'spec.dependsOn' },
  ])('refuses a package with $name, and says where', async ({ file, says }) => {
    await write({ 'x/package.yaml': file, 'x/manifests/x.yaml': object });
    const error = await loadAddOnPackages(root).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'InvalidSpec' });
    expect(JSON.stringify(error)).toContain(says);
  });

  it('reads the packages that are shipped', async () => {
    const packages = await loadAddOnPackages(shipped);

    expect(packages.map(({ metadata }) => metadata.name)).toEqual(['aws-ebs-csi-driver', 'baseline', 'docs']);
    const managed = packages
      .flatMap(({ spec: { manifests } }) => manifests)
      .filter(({ kind }) => kind !== 'ServiceAccount');
    for (const { metadata } of managed) {
      expect(metadata).toMatchObject({ labels: { 'app.kubernetes.io/managed-by': 'crate' } });
    }
  });
});
