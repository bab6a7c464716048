import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, isJsonObject, SCALE_SUBRESOURCE } from '@crate/api';
import { conflict } from '@crate/errors';
import type { SubresourceWrite } from '@crate/resource-client';
import { startApiServer, type ApiServerFixture } from '../../fixtures/api-server.js';
import { aCluster, CONTEXT, localApi } from '../../fixtures/local-api.js';
import { writtenScale } from '../../local-api/scale.js';

/** A number with a version, in which others may be faster than a write that is under way. */
class PlayedScale {
  replicas = 2;
  version = 1;
  writes: SubresourceWrite[] = [];
  /** What others set it to, each just before a write. */
  others: number[] = [];

  readonly read = (): Promise<unknown> =>
    Promise.resolve({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'demo', resourceVersion: String(this.version) },
      spec: { replicas: this.replicas },
    });

  readonly write = async (_object: unknown, _ref: unknown, write: SubresourceWrite): Promise<unknown> => {
    this.writes.push(write);
    const faster = this.others.shift();
    if (faster !== undefined) this.set(faster);
    const { replicas, resourceVersion } = writtenScale(write.body);
    if (resourceVersion !== undefined && resourceVersion !== String(this.version)) throw conflict('modified');
    this.set(replicas);
    return this.read();
  };

  private set(replicas: number): void {
    this.replicas = replicas;
    this.version += 1;
  }
}

let scale: PlayedScale;
let server: ApiServerFixture;
beforeEach(async () => {
  scale = new PlayedScale();
  const fixture = localApi();
  fixture.kinds.add({ definition: { ...CLUSTER, subresources: [SCALE_SUBRESOURCE] }, subresources: { scale } });
  await fixture.api.create(CLUSTER, aCluster(), {}, CONTEXT);
  server = await startApiServer({ fixture });
});
afterEach(() => server.close());

async function patch(
  body: unknown,
  type = 'application/json-patch+json',
): Promise<{ code: number; replicas: unknown }> {
  const { namespace, name } = aCluster().metadata;
  const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${namespace}/clusters/${name}/scale`;
  const headers = { authorization: 'Bearer ada-token', 'content-type': type };
  const response = await fetch(`${server.url}${path}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
  const { spec } = (await response.json()) as { spec?: unknown };
  return { code: response.status, replicas: isJsonObject(spec) ? spec.replicas : undefined };
}

const TEST_TWO = { op: 'test', path: '/spec/replicas', value: 2 };
const THREE = { op: 'replace', path: '/spec/replicas', value: 3 };
const TEST_VERSION = { op: 'test', path: '/metadata/resourceVersion', value: '1' };

describe('a JSON patch of a subresource', () => {
  it.each([
    { name: 'what it tested is no more', operations: [TEST_TWO, THREE], code: 422, left: 10 },
    { name: 'it tested the version', operations: [TEST_VERSION, THREE], code: 422, left: 10 },
    {
      name: 'it names the version',
      operations: [{ ...TEST_VERSION, op: 'add', value: '0' }, THREE],
      code: 409,
      left: 10,
    },
    { name: 'it asked for nothing', operations: [THREE], code: 200, left: 3 },
  ])('that another write overtakes is answered $code where $name', async ({ operations, code, left }) => {
    scale.others = [10];
    expect((await patch(operations)).code).toBe(code);
    expect(scale.replicas).toBe(left);
  });

  it('is given up when others are faster again and again', async () => {
    scale.others = Array.from({ length: 20 }, (_, index) => 10 + index);
    expect((await patch([THREE])).code).toBe(409);
    expect(scale.writes).toHaveLength(6);
  });
});

describe('a patch of a subresource', () => {
  it.each(['application/apply-patch+yaml', 'application/strategic-merge-patch+json', 'application/json', 'text/html'])(
    'as %s is refused as one of the object is',
    async (type) => {
      expect((await patch({ spec: { replicas: 3 } }, type)).code).toBe(415);
      expect(scale.writes).toEqual([]);
    },
  );
});

describe('a merge patch of a subresource', () => {
  it('is for any version', async () => {
    scale.others = [10];
    expect(await patch({ spec: { replicas: 3 } }, 'application/merge-patch+json')).toEqual({ code: 200, replicas: 3 });
  });
});
