import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPlatformError, type PlatformError } from '@crate/errors';
import { CratePlatform } from '@crate/testing';
import { CrateUser } from './crate-user.js';

let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  platform = await CratePlatform.start();
  user = await CrateUser.of(platform);
});
afterAll(async () => platform?.remove());

async function refusal(change: (spec: Record<string, unknown>) => void): Promise<PlatformError> {
  try {
    await user.applyQuickstart('refused', change);
  } catch (error) {
    if (isPlatformError(error)) return error;
    throw error;
  }
  throw new Error('The document was accepted');
}

describe('a document that cannot be', () => {
  it.each([
    {
      name: 'a wrong type',
      change: { network: { availabilityZones: 'three' } },
      field: 'spec.network.availabilityZones',
    },
    { name: 'a bad CIDR', change: { network: { vpcCidr: '10.20.0.1/16' } }, field: 'spec.network.vpcCidr' },
    { name: 'an even control plane', change: { controlPlane: { replicas: 2 } }, field: 'spec.controlPlane.replicas' },
    { name: 'an unknown account', change: { accountRef: { name: 'nobody' } }, field: 'spec.accountRef.name' },
    { name: 'an unknown add-on', change: { addOns: [{ name: 'nothing' }] }, field: 'spec.addOns[0].name' },
    {
      name: 'an unsupported version',
      change: { kubernetes: { version: 'v1.19.0' } },
      field: 'spec.kubernetes.version',
    },
  ])('with $name is refused by field', async ({ change, field }) => {
    const error = await refusal((spec) => Object.assign(spec, change));

    expect(error.code).toBe('InvalidSpec');
    expect(error.details.causes?.map((cause) => cause.field)).toContain(field);
    expect(await user.find('refused')).toBeUndefined();
  });

  it('names every bad field at once', async () => {
    const error = await refusal((spec) =>
      Object.assign(spec, { controlPlane: { replicas: 2 }, kubernetes: { version: 'v1.19.0' } }),
    );

    expect(error.details.causes?.map((cause) => cause.field).sort()).toEqual([
      'spec.controlPlane.replicas',
      'spec.kubernetes.version',
    ]);
  });

  it('with an unknown field is refused and names it', async () => {
    const error = await refusal((spec) => Object.assign(spec, { regionn: 'us-east-1' }));

    expect(['BadRequest', 'InvalidSpec']).toContain(error.code);
    expect(error.message).toContain('spec.regionn');
  });

  it('that breaks a rule is denied with rule, level, field and remedy', async () => {
    const error = await refusal((spec) => Object.assign(spec, { region: 'xx-nowhere-1' }));

    expect(error.code).toBe('Forbidden');
    expect(error.details.causes?.[0]).toMatchObject({ field: 'spec.region' });
    expect(error.message).toMatch(/policy cluster-region-allowed, level must/);
  });

  it('is refused in a Project that does not exist', async () => {
    const project = {
      apiVersion: 'cloud.crate.dev/v1alpha1',
      kind: 'CloudAccount',
      metadata: { name: 'a', namespace: 'nobody' },
    };

    await expect(user.apply({ ...project, spec: { provider: 'sandbox-aws' } })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});
