import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { invalidSpec, toStatus } from '@crate/errors';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS, clusterObject, discoveryAnswer } from '../testing/served.js';
import { diffCommand } from './diff.command.js';

const META = { namespace: 'team-a', uid: 'new', resourceVersion: '9', generation: 2 };

let api: FakeApi;
let directory: Awaited<ReturnType<typeof directoryWith>>;
let calls: string[];

beforeEach(async () => {
  calls = [];
  directory = await directoryWith(
    Object.fromEntries(['same', 'other', 'fresh', 'bad'].map((name) => [`${name}.yaml`, document(name)])),
  );
  api = await FakeApi.start((method, path, body) => discoveryAnswer(path) ?? answerOf(method, path, body));
});
afterEach(async () => {
  await api.stop();
  await directory.remove();
});

function document(name: string): string {
  return `apiVersion: lifecycle.crate.dev/v1alpha1\nkind: Cluster\nmetadata: { name: ${name} }\nspec: {}\n`;
}

/** The platform fills in what the file leaves out: `other` moves, and gets a second node. */
function answerOf(method: string, path: string, body: unknown): FakeAnswer {
  const { pathname, search } = new URL(path, 'https://api');
  const name = pathname.slice(CLUSTERS.length + 1);
  if (method === 'GET') return name === 'fresh' ? undefined : { body: clusterObject(name, { status: { a: 1 } }) };
  calls.push(`${method} ${name}${search}`);
  if (name === 'bad') return { body: toStatus(invalidSpec('Bad', [])), status: 422 };
  const spec = name === 'other' ? { region: 'eu-west-1', nodes: 2 } : { region: 'us-east-1' };
  return { body: { ...(body as object), metadata: { ...META, name }, spec, status: { b: 2 } }, status: 200 };
}

async function diff(...names: string[]): Promise<Written> {
  const files = names.flatMap((name) => ['-f', `${directory.path}/${name}.yaml`]);
  return outputOf(diffCommand(), [...files, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate diff', () => {
  it('says nothing where nothing would change, by asking for dry runs only', async () => {
    expect(await diff('same')).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
    expect(calls).toEqual(['PATCH same?fieldManager=crate-cli&dryRun=All']);
  });

  it('shows what would change, and ends with a code of its own', async () => {
    const { stdout, exitCode } = await diff('same', 'other');
    expect(stdout).toBe(`--- cluster.lifecycle.crate.dev/other
+++ cluster.lifecycle.crate.dev/other
@@ -4,4 +4,5 @@
   name: other
   namespace: team-a
 spec:
-  region: us-east-1
+  nodes: 2
+  region: eu-west-1
`);
    expect(exitCode).toBe(8);
  });

  it('shows all of what is not there yet', async () => {
    const { stdout, exitCode } = await diff('fresh');
    expect(stdout).toMatch(/^--- \/dev\/null\n\+\+\+ cluster.lifecycle.crate.dev\/fresh\n/);
    expect(stdout).toContain('\n+  region: us-east-1\n');
    expect(stdout).not.toMatch(/uid|generation|status/);
    expect(exitCode).toBe(8);
  });

  it('goes on after a refusal, and ends with its code', async () => {
    const { stdout, stderr, exitCode } = await diff('bad', 'other');
    expect(stdout).toContain('+  nodes: 2');
    expect(stderr).toContain('bad.yaml, document 1');
    expect(exitCode).toBe(4);
  });
});
