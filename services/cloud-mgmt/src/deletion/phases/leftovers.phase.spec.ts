import { KEPT_VOLUMES_ANNOTATION } from '@crate/api';
import { settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { InfrastructureScope } from '../../infrastructure/infrastructure.scope.js';
import { DeletionBench, inUse, theirs } from '../../testing/deletion-bench.js';
import { aContext } from '../../testing/in-memory-cloud.js';

const ACCOUNT_ID = expect.stringMatching(/^\d{12}$/) as unknown as string;

let bench: DeletionBench;
beforeEach(async () => {
  bench = await DeletionBench.start();
});

describe('what the cluster left', () => {
  const run = async (scope = bench.scope()): Promise<InfrastructureScope> => {
    outcome = await bench.leftoversPhase().run(scope, aContext());
    return scope;
  };
  let outcome: unknown;

  it('is removed, without what is Terraform’s and what is kept on purpose', async () => {
    bench.infrastructure.metadata.annotations = { [KEPT_VOLUMES_ANNOTATION]: 'vol-kept' };
    const leftovers = [theirs('aws_lb', 'lb-1'), theirs('aws_ebs_volume', 'vol-1')];
    bench.cloud.provider.owned = [bench.ours('aws_vpc', 'vpc-1'), theirs('aws_ebs_volume', 'vol-kept'), ...leftovers];
    await run();
    expect(outcome).toEqual(settled);
    expect(bench.remover.removed).toEqual(['lb-1', 'vol-1']);
  });

  it('is waited for, by its provider id, while it is listed still', async () => {
    bench.cloud.provider.owned = [theirs('aws_lb', 'lb-1'), theirs('ec2/vpc-endpoint', 'vpce-1')];
    bench.remover.isWithoutEffect = true;
    const { blockers, abandoned } = await run();
    expect(outcome).toMatchObject({ kind: 'waiting', reason: 'WaitingForRemoval' });
    expect(blockers.map(({ kind, name, reason }) => [kind, name, reason])).toEqual([
      ['aws_lb', 'lb-1', 'LeftByTheCluster'],
      ['ec2/vpc-endpoint', 'vpce-1', 'LeftByTheCluster'],
    ]);
    expect(bench.remover.removed).toEqual(['lb-1']);
    expect(abandoned).toEqual([]);
  });

  it('is left behind, after it was tried, when somebody forced that', async () => {
    bench.force();
    bench.cloud.provider.owned = [theirs('aws_lb', 'lb-1')];
    bench.remover.failure = inUse();
    const { abandoned } = await run();
    expect(outcome).toEqual(settled);
    expect(bench.remover.tried).toEqual(['lb-1']);
    expect(abandoned).toEqual([{ kind: 'aws_lb', name: 'lb-1', account: ACCOUNT_ID, region: 'us-east-1' }]);
  });

  it('holds nothing up where groups of the machines hold on to it: those go with the stack', async () => {
    bench.cloud.provider.owned = [bench.ours('aws_security_group', 'sg-workers'), theirs('aws_security_group', 'sg-1')];
    bench.remover.failure = inUse();
    const { blockers } = await run();
    expect(outcome).toEqual(settled);
    expect(bench.remover.tried).toEqual(['sg-1']);
    expect(blockers).toEqual([]);
  });

  it('is not given up while these hold on to it, when somebody forced that, and is once they are gone', async () => {
    bench.force();
    const [held, holder] = [theirs('aws_security_group', 'sg-1'), bench.ours('aws_security_group', 'sg-workers')];
    bench.cloud.provider.owned = [holder, held];
    bench.remover.failure = inUse();
    const { blockers, abandoned } = await run();
    expect(outcome).toEqual(settled);
    expect([blockers, abandoned]).toEqual([[], []]);

    bench.cloud.provider.owned = [held];
    expect((await run()).abandoned).toMatchObject([{ name: 'sg-1' }]);
    expect(outcome).toEqual(settled);
  });

  it('holds it up where anything else is in use', async () => {
    bench.cloud.provider.owned = [theirs('aws_lb', 'lb-1'), theirs('aws_security_group', 'sg-1')];
    bench.remover.failure = inUse();
    const scope = bench.scope();
    await expect(run(scope)).rejects.toThrow('DependencyViolation');
    expect(scope.blockers).toMatchObject([{ reason: 'StillInUse' }]);
  });

  it('is nobody’s business before anything was created', async () => {
    await bench.cloud.runs.removeAll(bench.uid);
    bench.cloud.provider.owned = [theirs('aws_lb', 'lb-1')];
    await run();
    expect(outcome).toEqual(settled);
    expect(bench.remover.tried).toEqual([]);
  });
});
