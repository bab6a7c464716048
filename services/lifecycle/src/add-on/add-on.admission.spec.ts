import { beforeEach, describe, expect, it } from '@jest/globals';
import { ADD_ON, CLUSTER, type AddOn, type Cluster, type Manifest } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi, type FieldError, type JsonSchema } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { fileURLToPath } from 'node:url';
import { loadAddOnPackages } from '@crate/kubernetes';
import { aCluster, anAddOn } from '../testing/a-cluster.js';
import { addOnAdmission, checkContent } from './add-on.admission.js';
import { clusterFacts } from './add-on.facts.js';
import { addOnPrepare } from './add-on.prepare.js';
import { publishCatalogue } from './add-on.catalogue.js';
import { renderedManifests, requestErrors } from './add-on.values.js';

const CONTEXT = { caller: { user: 'ada', groups: [] }, traceId: '0'.repeat(32) };
const SHIPPED = fileURLToPath(new URL('../../../../deploy/add-ons', import.meta.url));
const SCHEMA = { type: 'object', properties: { replicas: { type: 'integer', minimum: 1, default: 2 } } };
const deployment = (replicas: unknown, name = 'docs'): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas },
});
const namespace = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

let api: LocalResourceApi;
let catalogue: TypedClient<AddOn>;
let clusters: TypedClient<Cluster>;
let warnings: readonly string[];
/** Stores a cluster that asks for the add-on. */
let store: (values: object, version?: string) => Promise<unknown>;

beforeEach(() => {
  const kinds = new KindRegistry();
  api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
  clusters = new TypedClient(api, CLUSTER, CONTEXT);
  catalogue = new TypedClient(api, ADD_ON, CONTEXT);
  kinds.add({ definition: CLUSTER });
  kinds.add({
    definition: ADD_ON,
    prepare: [addOnPrepare(clusters)],
    admit: [
      async (request) => {
        const result = (await addOnAdmission(clusters)(request)) ?? {};
        warnings = result.warnings ?? [];
        return result;
      },
    ],
  });
  store = (values, version) => {
    const { spec } = aCluster({ addOns: [{ name: 'docs', values, ...(version === undefined ? {} : { version }) }] });
    return clusters.ensure({ metadata: { name: 'demo', namespace: 'team-a' }, spec }, 'test');
  };
});

const specOf = (changes: Partial<AddOn['spec']> = {}): AddOn['spec'] => ({
  ...anAddOn('docs').spec,
  valuesSchema: SCHEMA,
  manifests: [deployment('${values.replicas}')],
  ...changes,
});
const publish = (changes: object): Promise<AddOn> =>
  catalogue.ensure({ metadata: { name: 'docs' }, spec: specOf(changes) }, 'test');

const SECRET: JsonSchema = { type: 'string', format: 'password' };
const mapOf = (member: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: member });

describe('an add-on of the catalogue', () => {
  it.each([
    {
      reason: 'a schema that is none',
      changes: { valuesSchema: { type: 'object', properties: { replicas: { type: 'count', default: 'x' } } } },
      fields: ['spec.valuesSchema.properties.replicas.type'],
    },
    {
      reason: 'a keyword that values have no use for',
      changes: { valuesSchema: { type: 'object', oneOf: [] } },
      fields: ['spec.valuesSchema.oneOf'],
    },
    {
      reason: 'a default that does not fit',
      changes: { valuesSchema: { type: 'object', properties: { replicas: { type: 'integer', default: 'two' } } } },
      fields: ['spec.valuesSchema.properties.replicas.default'],
    },
    {
      reason: 'a secret, which everybody would see',
      changes: { valuesSchema: { type: 'object', properties: { key: { type: 'string', format: 'password' } } } },
      fields: ['spec.valuesSchema.properties.key.format'],
    },
    {
      reason: 'a secret in a map, or in a list of maps',
      changes: {
        valuesSchema: {
          type: 'object',
          properties: { env: mapOf(SECRET), files: { type: 'array', items: mapOf(mapOf(SECRET)) } },
        },
      },
      fields: [
        'spec.valuesSchema.properties.env.additionalProperties.format',
        'spec.valuesSchema.properties.files.items.additionalProperties.additionalProperties.format',
      ],
    },
    {
      reason: 'manifests that use what the schema does not have',
      changes: { manifests: [deployment('${values.size}'), deployment('${', 'more')] },
      fields: ['spec.manifests[0].spec.replicas', 'spec.manifests[1].spec.replicas'],
    },
    {
      reason: 'an object that loses its name for some values',
      changes: {
        manifests: [{ ...deployment(1), metadata: { name: "${values.replicas > 1 ? '' : 'a'}" } }],
      },
      fields: ['spec.manifests[0].metadata.name'],
    },
    {
      reason: 'an object that is stated twice',
      changes: { manifests: [deployment(1), namespace('tools'), deployment(2)] },
      fields: ['spec.manifests[2]'],
    },
    {
      reason: 'what a cluster sets itself, as in a copy of what it shows',
      changes: {
        manifests: [
          { ...deployment(1), metadata: { name: 'docs', uid: '1', resourceVersion: '2', managedFields: [] } },
        ],
      },
      fields: ['uid', 'resourceVersion', 'managedFields'].map((field) => `spec.manifests[0].metadata.${field}`),
    },
    {
      reason: 'an object that is stated twice, with nothing that is stated',
      changes: { manifests: [deployment(1), deployment(2)], valuesSchema: undefined },
      fields: ['spec.manifests[1]'],
    },
    {
      reason: 'two objects that are one for some values',
      changes: { manifests: ["${values.replicas > 1 ? 'a' : 'b'}", 'b'].map(namespace) },
      fields: ['spec.manifests[1]'],
    },
    {
      reason: 'a fact that clusters do not have',
      changes: { manifests: [deployment('${cluster.size}')] },
      fields: ['spec.manifests[0].spec.replicas'],
    },
    {
      reason: 'an object without a name in clusters that Crate did not make',
      changes: { manifests: [{ ...deployment(1), metadata: { name: '${cluster.region}' } }] },
      fields: ['spec.manifests[0].metadata.name'],
    },
    {
      reason: 'more than an installation can hold',
      changes: { manifests: [deployment('x'.repeat(2_100_000))] },
      fields: ['spec.manifests'],
    },
    {
      reason: 'more than an installation can hold, with nothing that is stated',
      changes: { manifests: [deployment('x'.repeat(2_100_000))], valuesSchema: undefined },
      fields: ['spec.manifests'],
    },
    {
      reason: 'a default for clusters that may not have it',
      changes: { providers: ['aws'], defaultFor: ['aws', 'sandbox-aws'] } as const,
      fields: ['spec.defaultFor[1]'],
    },
    {
      reason: 'a default that nobody states values for',
      changes: {
        defaultFor: ['aws'] as const,
        valuesSchema: {
          ...SCHEMA,
          required: ['size'],
          properties: { ...SCHEMA.properties, size: { type: 'integer' } },
        },
      },
      fields: ['spec.valuesSchema.properties.size'],
    },
  ])('is refused, each field by name: $reason', async ({ changes, fields }) => {
    const error: unknown = await publish(changes).catch((thrown: unknown) => thrown);
    expect(isPlatformError(error) && [error.code, error.details.causes?.map(({ field }) => field)]).toEqual([
      'InvalidSpec',
      fields,
    ]);
  });

  it('says how large it is, and how large it may be', async () => {
    const published = publish({ manifests: [deployment('x'.repeat(2_100_000))] });
    await expect(published).rejects.toThrow(
      /spec.manifests: Too long: must have at most 2097152 bytes as JSON, these have 2100\d{3} /,
    );
  });

  it('may need what only clusters of some clouds have, when it is for these alone', async () => {
    const manifests = [{ ...deployment(1), metadata: { name: '${cluster.region}' } }];
    await publish({ manifests, providers: ['aws'] });
    expect((await catalogue.find('docs'))?.spec.providers).toEqual(['aws']);
  });

  it('may leave two names to clusters, which are not to be the same', async () => {
    const text = { type: 'string', minLength: 1 };
    const valuesSchema = { type: 'object', required: ['one', 'two'], properties: { one: text, two: text } };
    await publish({ manifests: ['${values.one}', '${values.two}'].map(namespace), valuesSchema });
    const addOn = (await catalogue.find('docs')) as AddOn;
    const errorsOf = (values: Record<string, unknown>): readonly FieldError[] =>
      requestErrors([{ name: 'docs', values }], [], new Map([['docs', addOn]]));
    expect(errorsOf({ one: 'a', two: 'b' })).toEqual([]);
    expect(errorsOf({ one: 'a', two: 'a' })).toMatchObject([
      {
        path: ['spec', 'addOns', 0, 'values'],
        detail: 'docs 1.0.0 cannot be made of these values: manifests.1: is the same object as spec.manifests[0]',
      },
    ]);
  });

  it('keeps what it was, whoever says otherwise, and as long as a cluster stays on it', async () => {
    await publish({ version: '1.0.0' });
    await store({ replicas: 2 }, '1.0.0');
    for (const minor of [1, 2, 3, 4, 5, 6, 7]) await publish({ version: `1.${minor}.0`, earlier: [] });
    const found = await catalogue.find('docs');
    expect(found?.spec.earlier?.map(({ version }) => version)).toEqual([
      '1.6.0',
      '1.5.0',
      '1.4.0',
      '1.3.0',
      '1.2.0',
      '1.0.0',
    ]);
  });

  it('gets another version with each change, while a cluster stays on the one it has', async () => {
    await publish({ version: '1.0.0' });
    await store({ replicas: 2 });
    const changed = { version: '1.0.0', manifests: [deployment(3)] };
    await publish(changed);
    await store({ replicas: 2 }, '1.0.0');
    await expect(publish({ ...changed, manifests: [deployment(4)] })).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('it is the version of team-a/demo'),
      details: { causes: [{ field: 'spec.version' }] },
    });
    await publish({ ...changed, displayName: 'Our docs' });
    await publish({ ...changed, version: '1.1.0', manifests: [deployment(4)] });
    expect((await catalogue.find('docs'))?.spec.earlier).toMatchObject([changed]);
  });

  it('goes back to an earlier version that a cluster stays on with its content alone', async () => {
    const first = { version: '1.0.0', manifests: [deployment(3)] };
    await publish(first);
    await publish({ version: '1.1.0', manifests: [deployment(4)] });
    await store({ replicas: 2 }, '1.0.0');
    await expect(publish({ ...first, manifests: [deployment(5)] })).rejects.toMatchObject({ code: 'InvalidSpec' });
    await publish(first);
    expect((await catalogue.find('docs'))?.spec.manifests).toEqual(first.manifests);
  });

  it('is set back by the service itself, whatever version it is', async () => {
    await publish({ version: '1.0.0' });
    await store({ replicas: 2 }, '1.0.0');
    const own = new TypedClient(api, ADD_ON, { ...CONTEXT, caller: { ...CONTEXT.caller, service: 'lifecycle' } });
    await own.ensure({ metadata: { name: 'docs' }, spec: specOf({ manifests: [deployment(1)] }) }, 'test');
    expect((await catalogue.find('docs'))?.spec.manifests).toEqual([deployment(1)]);
  });

  it('writes nothing when it is published again', async () => {
    await publish({ version: '1.0.0' });
    const before = await publish({ version: '1.1.0' });
    expect((await publish({ version: '1.1.0' })).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('warns of clusters whose values its new schema does not take', async () => {
    await publish({ version: '1.0.0' });
    await store({ replicas: 2 });
    const stricter = { type: 'object', properties: { replicas: { type: 'integer', minimum: 3, default: 3 } } };
    await publish({ version: '1.1.0', valuesSchema: stricter });
    expect(warnings[0]).toContain('1 clusters state values');
    expect(warnings[1]).toContain('team-a/demo: spec.addOns.0.values.replicas');
  });
});

describe('the deletion of an add-on', () => {
  async function installed(addOns: NonNullable<NonNullable<Cluster['status']>['addOns']>): Promise<void> {
    const found = await clusters.find('demo', 'team-a');
    await clusters.saveStatus(found!, { conditions: [], addOns });
  }

  it('is refused while a cluster asks for it, naming that', async () => {
    await publish({});
    await store({ replicas: 2 });
    await expect(catalogue.remove('docs')).rejects.toMatchObject({
      code: 'Conflict',
      message: 'AddOn "docs" is in use by team-a/demo; take it out of these clusters first',
      details: { reason: 'AddOnInUse', causes: [{ reason: 'InUse', message: 'cluster team-a/demo' }] },
    });
  });

  it('is refused while a cluster has it without asking', async () => {
    await publish({});
    const { spec } = aCluster({ addOns: [{ name: 'docs', enabled: false }] });
    await clusters.create({ metadata: { name: 'demo', namespace: 'team-a' }, spec });
    await installed([{ name: 'docs', version: '1.0.0', ready: true }]);
    await expect(catalogue.remove('docs')).rejects.toMatchObject({ details: { reason: 'AddOnInUse' } });
    await installed([]);
    await catalogue.remove('docs');
    expect(await catalogue.find('docs')).toBeUndefined();
  });
});

describe('the add-ons that ship', () => {
  it('each say which values they take, and are published as they are', async () => {
    const packages = await loadAddOnPackages(SHIPPED);
    await publishCatalogue(catalogue, packages);
    for (const { spec } of packages) {
      expect(Object.keys(spec.valuesSchema?.['properties'] as object)).not.toEqual([]);
      expect(checkContent(spec)).toEqual([]);
    }
  });

  it('keep no node from being drained, as of a cluster with one worker, where their pods have nowhere else to go', async () => {
    const manifests = (await loadAddOnPackages(SHIPPED)).flatMap(({ spec }) => spec.manifests as readonly Manifest[]);
    expect(manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([]);
  });

  it('make of the values of a cluster what is installed', async () => {
    await publishCatalogue(catalogue, await loadAddOnPackages(SHIPPED));
    const docs = (await catalogue.find('docs')) as AddOn;
    const of = (values: Record<string, unknown>): readonly Manifest[] =>
      renderedManifests(docs, [{ name: 'baseline' }, { name: 'docs', values }], clusterFacts(aCluster(), {}));
    expect(of({ replicas: 3 }).find(({ kind }) => kind === 'Deployment')).toMatchObject({ spec: { replicas: 3 } });
    expect(JSON.stringify(of({ contact: '#help' }))).toContain('Questions: #help');
    expect(() => of({ replicas: 11, colour: 'red' })).toThrow(/spec.addOns\[1\].values.replicas.*colour/);
  });
});
