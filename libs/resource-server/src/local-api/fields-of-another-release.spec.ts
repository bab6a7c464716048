import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import type { PatchOptions, WriteResult } from '@crate/resource-client';
import { at } from '../fixtures/at.js';
import { failing } from '../fixtures/failing.js';
import { aCluster, CLUSTERS, CONTEXT, localApi, type LocalFixture, refTo, specOf } from '../fixtures/local-api.js';

const REF = refTo(CLUSTERS, 'demo');
const SPOT = { share: 0.5, zones: ['a', 'b'] };
const GPU = { name: 'gpu', replicas: 1, machineType: 'p3.2xlarge', spot: SPOT };

let fixture: LocalFixture;
let stored: KubeObject;
beforeEach(async () => {
  fixture = localApi();
  const { object } = await fixture.api.create(CLUSTERS, aCluster(), {}, CONTEXT);
  const nodePools = [...(specOf(object).nodePools as object[]), GPU];
  // As the next release stores it: with fields that this one does not know.
  const spec = { ...specOf(object), budget: { perMonth: 100 }, nodePools };
  stored = await fixture.store.update({ ...object, spec }, { seen: object });
});

function patch(body: unknown, options: Partial<PatchOptions> = {}): Promise<WriteResult> {
  return fixture.api.patch(REF, body, { type: 'merge', ...options }, CONTEXT);
}

function expectKept({ object, warnings }: WriteResult, pool = 1): void {
  expect(warnings).toEqual([]);
  expect(object.spec).toMatchObject({ paused: true, budget: { perMonth: 100 } });
  expect(at(object, `.spec.nodePools[${pool}].spot`)).toEqual(SPOT);
}

describe('stored fields that the kind does not have', () => {
  it('stay when a merge patch changes another', async () => {
    expectKept(await patch({ spec: { paused: true } }));
    expect((await fixture.api.get(REF, CONTEXT)).spec).toMatchObject({ budget: { perMonth: 100 } });
  });

  it('stay when another is applied', async () => {
    const { apiVersion, kind, metadata } = aCluster();
    const document = { apiVersion, kind, metadata, spec: { paused: true } };
    expectKept(await patch(document, { type: 'apply', fieldManager: 'gitops', force: true }));
  });

  it('stay when the whole object is written with another', async () => {
    const object = { ...stored, spec: { ...specOf(stored), paused: true } };
    expectKept(await fixture.api.update(REF, object, {}, CONTEXT));
  });

  it.each(['Warn', 'Ignore'] as const)('stay under %s', async (fieldValidation) => {
    expectKept(await patch({ spec: { paused: true } }, { fieldValidation }));
  });

  it('stay with their item when the items before it go', async () => {
    expectKept(
      await patch(
        [
          { op: 'remove', path: '/spec/nodePools/0' },
          { op: 'replace', path: '/spec/paused', value: true },
        ],
        { type: 'json' },
      ),
      0,
    );
  });

  it('go when a write takes them away', async () => {
    const { object } = await patch({ spec: { budget: null } });
    expect(object.spec).not.toHaveProperty('budget');
    expect(at(object, '.spec.nodePools[1].spot')).toEqual(SPOT);
  });

  it.each([
    { name: 'another value of one', spec: { budget: { perMonth: 200 } }, field: 'spec.budget' },
    { name: 'one more', spec: { budge: 1 }, field: 'spec.budge' },
    {
      name: 'the same in another item',
      spec: { nodePools: [{ ...GPU, name: 'more' }] },
      field: 'spec.nodePools\\[0\\].spot',
    },
  ])('do not make $name known', async ({ spec, field }) => {
    await expect(patch({ spec })).rejects.toEqual(
      failing('BadRequest', `strict decoding error: unknown field "${field}"$`),
    );
  });
});
