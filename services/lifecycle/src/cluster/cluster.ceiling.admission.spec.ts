import type { Cluster } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { toStatus } from '@crate/errors';
import { aCluster } from '../testing/a-cluster.js';
import { ceilingAdmission, ceilingRefusal } from './cluster.ceiling.admission.js';

const FEWER = { nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.xlarge' }] };
const MORE = { nodePools: [{ name: 'workers', replicas: 3, machineType: 'm5.xlarge' }] };

describe('ceilingRefusal', () => {
  it('names the field, its impact, the ceiling and how to allow it', () => {
    const refusal = ceilingRefusal(aCluster({ maxImpact: 'restart' }), aCluster({ maxImpact: 'restart', ...FEWER }));
    expect(refusal).toMatchObject({
      code: 'Forbidden',
      details: {
        reason: 'ImpactAboveCeiling',
        remedy: 'To allow it, set spec.maxImpact to roll in a change of its own, then make this change',
        causes: [
          {
            field: 'spec.nodePools[name=workers].replicas',
            message: 'Forbidden: the change has impact roll, spec.maxImpact allows restart at most',
          },
          { reason: 'ImpactAboveCeiling', message: expect.stringMatching(/^To allow it, set spec.maxImpact to roll/) },
        ],
      },
    });
  });

  it('is no 422, upon which kubectl and Flux would delete the cluster and make another when they are to force a change', () => {
    const refusal = ceilingRefusal(aCluster({ maxImpact: 'none' }), aCluster({ maxImpact: 'none', ...FEWER }));
    expect(toStatus(refusal)).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringMatching(
        /^clusters\.lifecycle\.crate\.dev "demo" is forbidden: spec\.nodePools.*To allow it/,
      ),
    });
  });

  const rows = [
    { name: 'lets pass what stays below', before: { maxImpact: 'none' }, after: { maxImpact: 'none', ...MORE } },
    { name: 'lets pass everything without a ceiling', before: {}, after: FEWER },
    { name: 'lets the ceiling be raised', before: { maxImpact: 'none' }, after: { maxImpact: 'replace' } },
    { name: 'lets the ceiling be taken away', before: { maxImpact: 'none' }, after: {} },
    { name: 'lets the ceiling be lowered', before: {}, after: { maxImpact: 'none' } },
  ];
  it.each(rows)('$name', ({ before, after }) => {
    expect(ceilingRefusal(aCluster(before), aCluster(after))).toBeUndefined();
  });

  const OFF = { addOns: [{ name: 'volumes', enabled: false }] };
  it.each([
    { reason: 'is refused where the cluster has it by default', has: ['volumes'], code: 'Forbidden' },
    { reason: 'is refused where nobody knows what the cluster has', has: undefined, code: 'Forbidden' },
    { reason: 'passes where the cluster does not have it', has: ['docs'], code: undefined },
  ])('an add-on that is turned off when it is named: $reason', ({ has, code }) => {
    const addOns = has?.map((name) => ({ name, version: '1.0.0', ready: true }));
    const before = { ...aCluster({ maxImpact: 'restart' }), status: { addOns } } as Cluster;
    expect(ceilingRefusal(before, aCluster({ maxImpact: 'restart', ...OFF }))).toEqual(
      code === undefined ? undefined : expect.objectContaining({ code }),
    );
  });

  const refused = [
    { name: 'what raises the ceiling with it', before: { maxImpact: 'none' }, after: { maxImpact: 'roll', ...FEWER } },
    { name: 'what takes the ceiling away with it', before: { maxImpact: 'none' }, after: FEWER },
    { name: 'what lowers the ceiling with it', before: {}, after: { maxImpact: 'none', ...FEWER } },
  ];
  it.each(refused)('refuses $name', ({ before, after }) => {
    expect(ceilingRefusal(aCluster(before), aCluster(after))).toMatchObject({ code: 'Forbidden' });
  });
});

describe('ceilingAdmission', () => {
  const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
  const oldObject = aCluster({ maxImpact: 'none' });

  it('judges changes, and neither what is new nor what goes', async () => {
    const object = aCluster({ maxImpact: 'none', ...FEWER });
    await expect(
      ceilingAdmission({ operation: 'UPDATE', object, oldObject, context, dryRun: false }),
    ).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(ceilingAdmission({ operation: 'CREATE', object, context, dryRun: false })).resolves.toBeUndefined();
    await expect(
      ceilingAdmission({ operation: 'DELETE', object, oldObject: object, context, dryRun: false }),
    ).resolves.toBeUndefined();
  });
});
