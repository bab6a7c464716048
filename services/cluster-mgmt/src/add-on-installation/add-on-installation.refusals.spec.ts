import { beforeEach, describe, expect, it } from '@jest/globals';
import { FORCE_ANNOTATION, FORCED_ANNOTATION, type AddOnInstallation, type Manifest } from '@crate/api';
import { forbidden, invalidSpec, PlatformError } from '@crate/errors';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { KeyRing } from '@crate/secrets';
import { AddOnBench } from '../testing/add-on-bench.js';
import { installationSpec } from '../testing/builders.js';
import { aContext } from '../testing/local-clients.js';

const CRD = 'CustomResourceDefinition widgets.example.com';
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'widgets', namespace: 'apps' };
const NO_WEBHOOK = new PlatformError('Unavailable', 'failed calling webhook', { details: { reason: 'ClusterError' } });

const NOT_SERVED = new PlatformError('Unavailable', 'cannot serve example.com/v1', {
  details: { reason: 'ClusterError' },
});

/** An operator and one instance of its kind, written in the order that needs most care. */
function operator(field: string): Manifest[] {
  const { name, ...rest } = DEPLOYMENT;
  return [
    { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { [field]: 1 } },
    { ...{ apiVersion: rest.apiVersion, kind: rest.kind }, metadata: { name, namespace: rest.namespace }, spec: {} },
    {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'widgets.example.com' },
      spec: { field },
    },
  ];
}

let bench: AddOnBench;
const loseKey = (): void => {
  bench.secrets.find = () => new KeyRing([]).digest(Buffer.of(), 'lost').then(() => undefined);
};
beforeEach(async () => {
  bench = new AddOnBench();
  bench.target.statusOnApply.set('CustomResourceDefinition', { conditions: [{ type: 'Established', status: 'True' }] });
  await bench.createCluster();
  await bench.create(installationSpec(operator('size')));
  await bench.pass();
  bench.target.writes.length = 0;
});

describe('an add-on whose objects need one another', () => {
  it('is upgraded when instances state what only its new CRD knows', async () => {
    const refusal = invalidSpec('spec.colour: unknown field', []);
    const knowsColour = (): boolean => bench.target.writes.includes(`apply ${CRD}`);
    bench.target.refusal = ({ kind }) => (kind === 'Widget' && !knowsColour() ? refusal : undefined);
    await bench.setSpec({ ...installationSpec(operator('colour')), version: '2.0.0' });

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual([`apply ${CRD}`, 'apply Widget w']);
    expect((await bench.read()).status?.version).toBe('2.0.0');
  });

  it('gets the server of its own webhook back, which everything else is refused for', async () => {
    bench.target.refusal = ({ kind }) =>
      kind === 'Widget' && !bench.target.contents().includes('Deployment widgets') ? NO_WEBHOOK : undefined;
    bench.target.interfere(DEPLOYMENT);
    await bench.pass().catch(() => undefined);

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['apply Deployment widgets']);
    expect(bench.events.events.filter(({ reason }) => reason === 'DriftCorrected')).toMatchObject([
      { message: 'Add-on docs: set back Deployment widgets' },
    ]);
  });

  it('is mended when the server of an API that it brings is broken, behind which nothing can be looked at', async () => {
    const find = bench.target.find.bind(bench.target);
    const isMended = (): boolean => bench.target.writes.includes('apply Deployment widgets');
    const isServed = ({ kind }: { readonly kind: string }): boolean => kind !== 'Widget' || isMended();
    bench.target.find = (ref) => (isServed(ref) ? find(ref) : Promise.reject(NOT_SERVED));
    bench.target.refusal = (object) => (isServed(object) ? undefined : NOT_SERVED);
    const mended = operator('size').map((each) => (each.kind === 'Deployment' ? { ...each, spec: { x: 1 } } : each));
    await bench.setSpec({ ...installationSpec(mended), version: '1.0.1' });
    await bench.pass().catch(() => undefined);

    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect((await bench.read()).status?.version).toBe('1.0.1');
  });

  it('waits for a namespace that is being deleted, which is no fault of its manifests', async () => {
    const causes = [{ reason: 'NamespaceTerminating', message: 'namespace apps is being terminated' }];
    bench.target.refusal = ({ kind }) => (kind === 'Deployment' ? forbidden('Terminating', { causes }) : undefined);
    bench.target.interfere(DEPLOYMENT);

    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'WaitingForNamespace' });
    expect((await bench.read()).status?.failure).toBeUndefined();
    expect(await bench.ready()).toBe('False WaitingForNamespace');
    expect((await bench.read()).status?.progress?.message).toContain('namespace apps is being terminated');
  });

  it('says of a conflict that does not pass what to do, and applies everything else', async () => {
    const conflict = new PlatformError('Conflict', 'uid mismatch: no existing object was found');
    bench.target.refusal = ({ kind }) => (kind === 'Widget' ? conflict : undefined);
    await bench.setSpec({ ...installationSpec(operator('colour')), version: '2.0.0' });

    for (let pass = 0; pass < 2; pass += 1) {
      await expect(bench.pass()).rejects.toMatchObject({ retry: 'backoff', details: { reason: 'ManifestRejected' } });
    }
    expect(bench.target.writes).toEqual([`apply ${CRD}`]);
    expect((await bench.read()).status?.failure?.remedy).toContain('Correct the manifests');
  });

  it('says what is refused for good, after everything else was applied', async () => {
    const refusal = invalidSpec('spec.colour: unknown field', []);
    bench.target.refusal = ({ kind }) => (kind === 'Widget' ? refusal : undefined);
    await bench.setSpec({ ...installationSpec(operator('colour')), version: '2.0.0' });

    await expect(bench.pass()).rejects.toMatchObject({ retry: 'backoff', details: { reason: 'ManifestRejected' } });
    await expect(bench.pass()).rejects.toMatchObject({ retry: 'slow', details: { reason: 'ManifestRejected' } });
    expect(bench.target.writes).toEqual([`apply ${CRD}`]);
    expect((await bench.read()).status?.version).toBe('1.0.0');
  });
});

describe('a Job of an add-on, which no cluster changes', () => {
  const REFUSAL = invalidSpec('Job.batch "once" is invalid: spec.template: field is immutable', []);
  const spec = (image: string): AddOnInstallation['spec'] =>
    installationSpec([{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once' }, spec: { image } }]);
  beforeEach(async () => {
    bench.target.statusOnApply.set('Job', { conditions: [{ type: 'Complete', status: 'True' }] });
    await bench.setSpec(spec('one'));
    await bench.pass();
    bench.target.writes.length = 0;
    bench.target.refusal = () => (bench.target.contents().includes('Job once') ? REFUSAL : undefined);
  });

  it('runs again with another version', async () => {
    await bench.setSpec(spec('two'));
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect(bench.target.writes).toEqual(['remove Job once', 'apply Job once']);
  });

  it('is waited for while it runs, which is no fault of its manifests', async () => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'once' };
    bench.target.interfere(job, (live) => ({ ...live, status: { failed: 1 } }));
    await bench.setSpec(spec('two'));
    await expect(bench.pass()).rejects.toMatchObject({ retry: 'backoff', details: { reason: 'JobStillRuns' } });
    expect((await bench.read()).status?.failure).toMatchObject({ code: 'JobStillRuns' });
  });

  it('is a failure once it has given up, and none any more once it was made anew', async () => {
    const complete = { conditions: [{ type: 'Complete', status: 'True' }] };
    const failed = { conditions: [{ type: 'Failed', status: 'True', message: 'BackoffLimitExceeded' }] };
    bench.target.refusal = () => undefined;
    bench.target.statusOnApply.set('Job', failed);
    await bench.setSpec(spec('two'));
    await expect(bench.pass()).rejects.toMatchObject({ retry: 'slow' });
    expect((await bench.read()).status).toMatchObject({
      failure: { code: 'JobFailed', message: expect.stringContaining('once: BackoffLimitExceeded') as unknown },
      progress: { step: 0, steps: 1 },
    });

    bench.target.statusOnApply.set('Job', complete);
    bench.target.interfere({ apiVersion: 'batch/v1', kind: 'Job', name: 'once' });
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    expect((await bench.read()).status?.failure).toBeUndefined();
  });

  it('does not run again with the same one, whatever refuses it', async () => {
    await expect(bench.pass()).rejects.toMatchObject({ details: { reason: 'ManifestRejected' } });
    expect(bench.target.writes).toEqual([]);
  });
});

it('says of a kind that does not go to look at its instances', async () => {
  bench.target.stuckKinds.add('CustomResourceDefinition');
  await bench.requestDeletion();
  expect(await bench.pass()).toMatchObject({ reason: 'WaitingForObjectsToGo' });
  expect((await bench.read()).status?.deletion?.blockers).toMatchObject([
    {
      ...{ kind: 'CustomResourceDefinition', reason: 'StillThere' },
      message: 'Was asked to go, and is still there: its instances go first',
      remedy: expect.stringContaining('kubectl get widgets.example.com -A') as unknown,
    },
  ]);
});

describe('an add-on whose removal the cluster refuses', () => {
  beforeEach(async () => {
    bench.target.remove = () => Promise.reject(NO_WEBHOOK);
    await bench.requestDeletion();
  });

  it('says why', async () => {
    await expect(bench.pass()).rejects.toBe(NO_WEBHOOK);
    expect((await bench.read()).status?.failure?.message).toBe('failed calling webhook');
  });

  describe('and that somebody forces', () => {
    const remove = InMemoryTargetCluster.prototype.remove;
    beforeEach(async () => {
      const annotations = { [FORCE_ANNOTATION]: 'Broken', [FORCED_ANNOTATION]: '2026-01-01T00:00:00Z ada' };
      await bench.local.installations.merge('demo-docs', 'team-a', { metadata: { annotations } });
    });

    it('is given up when a server does not answer the next time either', async () => {
      await expect(bench.pass()).rejects.toBe(NO_WEBHOOK);
      expect(await bench.pass(aContext({ attempts: 1 }))).toEqual({ kind: 'settled' });
      await expect(bench.read()).rejects.toThrow('gone');
    });

    it('asks for no more objects than a pass has time for, each of which a server hangs at', async () => {
      const asked: string[] = [];
      bench.target.remove = ({ kind }) => {
        asked.push(kind);
        bench.nowMs += 30_000;
        return Promise.reject(NO_WEBHOOK);
      };
      await expect(bench.pass()).rejects.toBe(NO_WEBHOOK);
      expect(asked).toHaveLength(2);
      expect((await bench.read()).status?.inventory).toHaveLength(3);
      expect(await bench.pass(aContext({ attempts: 1 }))).toEqual({ kind: 'settled' });
      expect(asked).toHaveLength(4);
      await expect(bench.read()).rejects.toThrow('gone');
    });

    it('loses everything else, and at the next attempt what was a hiccup', async () => {
      bench.target.remove = (ref) =>
        ref.kind === 'Widget' ? Promise.reject(NO_WEBHOOK) : remove.call(bench.target, ref);
      await expect(bench.pass()).rejects.toBe(NO_WEBHOOK);
      expect(bench.target.contents()).toEqual(['Widget w']);
      expect((await bench.read()).status?.inventory).toMatchObject([{ kind: 'Widget' }]);

      bench.target.remove = remove;
      expect(await bench.pass(aContext({ attempts: 1 }))).toEqual({ kind: 'settled' });
      expect(bench.target.contents()).toEqual([]);
    });

    it('loses everything but what is refused, at once', async () => {
      const refusal = forbidden('A policy keeps it');
      bench.target.remove = (ref) => (ref.kind === 'Widget' ? Promise.reject(refusal) : remove.call(bench.target, ref));
      expect(await bench.pass()).toEqual({ kind: 'settled' });
      expect(bench.target.contents()).toEqual(['Widget w']);
      expect(bench.logger.at('warn')).toHaveLength(1);
    });

    it('is given up at once when the key that the way in stands under is lost', async () => {
      loseKey();
      expect(await bench.pass()).toEqual({ kind: 'settled' });
      await expect(bench.read()).rejects.toThrow('gone');
      expect(bench.logger.at('warn')).toHaveLength(1);
    });
  });

  it('waits for a lost key, which may be put back, as long as for a cluster that is silent', async () => {
    loseKey();
    await bench.requestDeletionWithCluster();
    expect(await bench.pass()).toMatchObject({ kind: 'waiting', reason: 'EncryptionKeyMissing' });
    const remedy = expect.stringMatching(/lost\.key back.*; otherwise nothing: 10 min after/) as unknown;
    expect((await bench.read()).status?.deletion?.blockers).toMatchObject([{ reason: 'EncryptionKeyMissing', remedy }]);

    bench.nowMs += 600_000;
    expect(await bench.pass()).toEqual({ kind: 'settled' });
    await expect(bench.read()).rejects.toThrow('gone');
  });
});
