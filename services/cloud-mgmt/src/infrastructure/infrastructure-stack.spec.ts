import { describe, expect, it } from '@jest/globals';
import type { CloudAccount, Infrastructure } from '@crate/api';
import { aSpec } from '../testing/a-spec.js';
import { AwsInfrastructureStack } from './infrastructure-stack.js';

const account = { spec: { provider: 'sandbox-aws', accountId: '123456789012' } } as CloudAccount;

function infrastructure(name: string, workers = 1): Infrastructure {
  return {
    metadata: { uid: `uid-${name}`, name, namespace: 'team-a' },
    spec: aSpec(name, { workers }),
  } as Infrastructure;
}

describe('AwsInfrastructureStack', () => {
  it('writes a stack once for passes that follow each other, and anew for another wish', () => {
    const stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
    const first = stack.synthesize(infrastructure('demo'), account);

    expect(stack.synthesize(infrastructure('demo'), account)).toBe(first);
    expect(stack.synthesize(infrastructure('demo', 2), account).hash).not.toBe(first.hash);
    expect(stack.synthesize(infrastructure('other'), account).hash).not.toBe(first.hash);
    expect(stack.synthesize(infrastructure('demo'), account)).toBe(first);
  });

  it('evaluates nothing of an account that was stored before its texts were looked at', () => {
    const stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
    const permissionsBoundary = 'arn:aws:iam::123456789012:policy/${file("a")}';
    const stored = { spec: { ...account.spec, permissionsBoundary } } as CloudAccount;
    const { resource } = stack.synthesize(infrastructure('demo'), stored).document as {
      resource: { aws_iam_role: Record<string, { permissions_boundary: string }> };
    };

    for (const { permissions_boundary: written } of Object.values(resource.aws_iam_role))
      expect(written).toBe('arn:aws:iam::123456789012:policy/$${file("a")}');
  });

  it('gives the right to meter to the cluster of the platform alone', () => {
    const metered = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1', 'team-a/demo');
    const unmetered = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
    const meters = (name: string): boolean =>
      JSON.stringify(metered.synthesize(infrastructure(name), account)).includes('aws-marketplace:MeterUsage');
    expect([meters('demo'), meters('other')]).toEqual([true, false]);
    expect(metered.synthesize(infrastructure('other'), account).hash).toBe(
      unmetered.synthesize(infrastructure('other'), account).hash,
    );
  });

  it('counts the naming of the cluster of the platform as asked for there alone: what a release has waiting in others waits on', () => {
    const metered = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1', 'team-a/demo');
    const unmetered = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
    const settings = (stack: AwsInfrastructureStack, name: string): string =>
      stack.settingsHash(infrastructure(name), account);
    expect(settings(metered, 'demo')).not.toBe(settings(unmetered, 'demo'));
    expect(settings(metered, 'other')).toBe(settings(unmetered, 'other'));
  });

  it('forgets what was asked for longest ago, and writes the same again', () => {
    const stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
    const first = stack.synthesize(infrastructure('demo'), account);
    for (let other = 0; other < 64; other += 1) stack.synthesize(infrastructure(`other-${other}`), account);

    const again = stack.synthesize(infrastructure('demo'), account);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
