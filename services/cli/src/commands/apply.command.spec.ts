import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forbidden, invalidSpec, PlatformError, toStatus } from '@crate/errors';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS, clusterObject, discoveryAnswer } from '../testing/served.js';
import { applyCommand, createCommand } from './apply.command.js';

const API_VERSION = 'lifecycle.crate.dev/v1alpha1';
const PROJECT = `apiVersion: ${API_VERSION}\nkind: Project\nmetadata: { name: team-a }\n`;
const APPLY = 'fieldManager=crate-cli';

let api: FakeApi;
let directory: Awaited<ReturnType<typeof directoryWith>>;
let calls: { readonly call: string; readonly body: unknown }[];
/** What a write is answered; by path. */
let refusals: Map<string, PlatformError>;

beforeEach(async () => {
  calls = [];
  refusals = new Map();
  directory = await directoryWith({
    'all.yaml': `${cluster('demo')}---\n${PROJECT}---\n`,
    'list.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [clusterObject('a'), clusterObject('b')] }),
    'nameless.yaml': `apiVersion: ${API_VERSION}\nkind: Cluster\nmetadata: {}\n`,
    'unknown.yaml': `apiVersion: ${API_VERSION}\nkind: Clutter\nmetadata: { name: x }\n`,
    'elsewhere.yaml': `apiVersion: v1\nkind: Cluster\nmetadata: { name: x }\n`,
    'broken.yaml': 'a: [\n',
    'stated.yaml': `apiVersion: ${API_VERSION}\nkind: Cluster\nmetadata: { name: x, namespace: team-b }\n`,
  });
  api = await FakeApi.start((method, path, body) => discoveryAnswer(path) ?? answerOf(method, path, body));
});
afterEach(async () => {
  await api.stop();
  await directory.remove();
});

function cluster(name: string): string {
  return `apiVersion: ${API_VERSION}\nkind: Cluster\nmetadata: { name: ${name} }\nspec: { region: us-east-1 }\n`;
}

function answerOf(method: string, path: string, body: unknown): FakeAnswer {
  const { pathname } = new URL(path, 'https://api');
  if (method === 'GET') return pathname === `${CLUSTERS}/same` ? { body: clusterObject('same') } : undefined;
  calls.push({ call: `${method} ${path}`, body });
  const refusal = refusals.get(pathname);
  if (refusal) return { body: toStatus(refusal), status: toStatus(refusal).code };
  const { metadata } = body as { metadata: { name: string } };
  const isSame = metadata.name === 'same';
  const headers = { warning: '299 - "spec.region: impact \\"replace\\""' };
  return { body: { ...clusterObject(metadata.name), ...kindOf(body) }, status: isSame ? 200 : 201, headers };
}

function kindOf(body: unknown): object {
  const { kind } = body as { kind: string };
  return { kind };
}

async function run(command: typeof applyCommand, ...args: string[]): Promise<Written> {
  const named = args.map((arg) => arg.replace('DIR', directory.path));
  return outputOf(command(), [...named, '--data-dir', api.dataDir]);
}

describe('crate apply', () => {
  it('applies each document at its place, Projects first, and shows warnings', async () => {
    const { stdout, stderr, exitCode } = await run(applyCommand, '-f', 'DIR/all.yaml', '-n', 'team-a');
    expect(stdout).toBe('project.lifecycle.crate.dev/team-a created\ncluster.lifecycle.crate.dev/demo created\n');
    expect(stderr).toBe('Warning: spec.region: impact "replace"\n'.repeat(2));
    expect(calls.map(({ call }) => call)).toEqual([
      `PATCH /apis/${API_VERSION}/projects/team-a?${APPLY}`,
      `PATCH ${CLUSTERS}/demo?${APPLY}`,
    ]);
    expect(calls[1]?.body).toMatchObject({ metadata: { name: 'demo', namespace: 'team-a' } });
    expect(exitCode).toBe(0);
  });

  it('takes a List, and forces only when told to', async () => {
    await run(applyCommand, '-f', 'DIR/list.json', '--force-conflicts');
    expect(calls.map(({ call }) => call)).toEqual([
      `PATCH ${CLUSTERS}/a?${APPLY}&force=true`,
      `PATCH ${CLUSTERS}/b?${APPLY}&force=true`,
    ]);
  });

  it('takes no JSON of other tools in a folder', async () => {
    const files = { 'package.json': '{ "name": "app" }', 'tsconfig.json': '{ // strict\n }', 'a.yaml': cluster('a') };
    const { path, remove } = await directoryWith(files);
    const { stdout } = await run(applyCommand, '-f', path, '-n', 'team-a');
    await remove();
    expect(stdout).toBe('cluster.lifecycle.crate.dev/a created\n');
  });

  it('changes nothing in a dry run, and says of what stays that it does', async () => {
    const { path, remove } = await directoryWith({ 'same.yaml': cluster('same') });
    const { stdout } = await run(applyCommand, '-f', path, '-n', 'team-a', '--dry-run', 'server');
    await remove();
    expect(calls.map(({ call }) => call)).toEqual([`PATCH ${CLUSTERS}/same?${APPLY}&dryRun=All`]);
    expect(stdout).toBe('cluster.lifecycle.crate.dev/same unchanged (dry run)\n');
  });

  it('prints what was written as data', async () => {
    const { stdout } = await run(applyCommand, '-f', 'DIR/list.json', '-o', 'name');
    expect(stdout).toBe('cluster.lifecycle.crate.dev/a\ncluster.lifecycle.crate.dev/b\n');
  });

  it('goes on after a refusal, and names file, object and every field', async () => {
    const causes = [
      { reason: 'FieldValueRequired', field: 'spec.region', message: 'Required value' },
      { reason: 'FieldValueInvalid', field: 'spec.nodes', message: 'Too many' },
    ];
    refusals.set(`${CLUSTERS}/a`, invalidSpec('Cluster "a" is invalid: [spec.region: Required value, …]', causes));
    const { stdout, stderr, exitCode } = await run(applyCommand, '-f', 'DIR/list.json');
    expect(stdout).toBe('cluster.lifecycle.crate.dev/b created\n');
    expect(stderr).toContain(`crate: cluster/a (${directory.path}/list.json, document 1): Cluster "a" is invalid:\n`);
    expect(stderr).toContain('  spec.region: Required value\n  spec.nodes: Too many\n');
    expect(exitCode).toBe(4);
  });

  it('tells whose field it would change, and how to go on', async () => {
    const field = '.spec.region';
    const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "argo" using v1', field }];
    refusals.set(
      `${CLUSTERS}/a`,
      new PlatformError('Conflict', 'Apply failed with 1 conflict', { details: { causes } }),
    );
    const { stderr } = await run(applyCommand, '-f', 'DIR/list.json');
    expect(stderr).toContain('  spec.region: set by "argo"\n');
    expect(stderr).toContain('take them over with --force-conflicts');
  });

  it('ends with the code of a failure when several are of several kinds', async () => {
    refusals.set(`${CLUSTERS}/a`, invalidSpec('Bad', []));
    refusals.set(`${CLUSTERS}/b`, forbidden('No'));
    expect((await run(applyCommand, '-f', 'DIR/list.json')).exitCode).toBe(1);
  });

  it.each([
    { args: ['-f', 'DIR/nameless.yaml'], want: /nameless.yaml, document 1: metadata.name must be a text/ },
    {
      args: ['-f', 'DIR/unknown.yaml'],
      want: /serves no Clutter in lifecycle.*; there is .*Cluster.*: crate api-resources/,
    },
    { args: ['-f', 'DIR/elsewhere.yaml'], want: /serves no Cluster in v1; it is in lifecycle.crate.dev\/v1alpha1/ },
    { args: ['-f', 'DIR/broken.yaml'], want: /broken.yaml is no YAML: .* line 2/ },
    { args: ['-f', 'DIR/nothing.yaml'], want: /Cannot read .*nothing.yaml: there is no such file or folder$/ },
    { args: ['-f', 'DIR/stated.yaml', '-n', 'team-a'], want: /is "team-b" and -n says "team-a"/ },
    { args: ['-f', 'DIR/all.yaml', '-o', 'wide'], want: /json, yaml, name or jsonpath/ },
  ])('asks for no write with $args', async ({ args, want }) => {
    await expect(run(applyCommand, ...args)).rejects.toThrow(want);
    expect(calls).toEqual([]);
  });
});

describe('crate apply --dry-run', () => {
  it('asks the server, the only one who knows, also where it does not say so', async () => {
    await run(applyCommand, '--dry-run', '-f', 'DIR/list.json');
    expect(calls.map(({ call }) => call).filter((call) => !call.includes('dryRun=All'))).toEqual([]);
    expect(calls.length).toBeGreaterThan(0);
  });
});

describe('crate create', () => {
  it('makes what is new at its collection, and tells of what is there', async () => {
    refusals.set(CLUSTERS, new PlatformError('AlreadyExists', 'clusters "demo" already exists'));
    const { stdout, stderr, exitCode } = await run(createCommand, '-f', 'DIR/all.yaml', '-n', 'team-a');
    expect(calls.map(({ call }) => call)).toEqual([
      `POST /apis/${API_VERSION}/projects?${APPLY}`,
      `POST ${CLUSTERS}?${APPLY}`,
    ]);
    expect(stdout).toBe('project.lifecycle.crate.dev/team-a created\n');
    expect(stderr).toContain('already exists');
    expect(exitCode).toBe(4);
  });
});
