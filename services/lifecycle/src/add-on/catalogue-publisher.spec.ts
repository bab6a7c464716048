import { beforeEach, describe, expect, it } from '@jest/globals';
import { ADD_ON, CLUSTER, type AddOn, type Cluster } from '@crate/api';
import type { AddOnDraft } from '@crate/kubernetes';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryPublicationTurns } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { aCluster, anAddOn } from '../testing/a-cluster.js';
import { addOnAdmission } from './add-on.admission.js';
import { CataloguePublisher } from './catalogue-publisher.js';

const CONTEXT = { caller: { user: 'ada', groups: [] }, traceId: '0'.repeat(32) };
const MINUTE_MS = 60_000;

const aPackage = (name: string, version: string): AddOnDraft => {
  const { spec } = anAddOn(name);
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'AddOn', metadata: { name }, spec: { ...spec, version } };
};
const OLD = [aPackage('docs', '1.2.0')];
const NEW = [aPackage('docs', '1.3.0'), aPackage('extra', '1.0.0')];

let addOns: TypedClient<AddOn>;
let clusters: TypedClient<Cluster>;
let turns: InMemoryPublicationTurns;
let nowMs: number;
let logger: InMemoryLogger;

beforeEach(() => {
  nowMs = 0;
  logger = new InMemoryLogger();
  turns = new InMemoryPublicationTurns(() => nowMs);
  const kinds = new KindRegistry();
  const api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
  addOns = new TypedClient(api, ADD_ON, CONTEXT);
  clusters = new TypedClient(api, CLUSTER, CONTEXT);
  kinds.add({ definition: CLUSTER });
  kinds.add({ definition: ADD_ON, admit: [addOnAdmission(clusters)] });
});

const aReplica = (): CataloguePublisher => new CataloguePublisher({ addOns, turns, logger, now: () => nowMs });
const elapse = (minutes: number): void => void (nowMs += minutes * MINUTE_MS);
const offered = async (): Promise<string[]> =>
  (await addOns.list()).map(({ metadata, spec }) => `${metadata.name} ${spec.version}`).sort();

describe('the catalogue, while two releases run side by side,', () => {
  it('stays as the older one has it, also when replicas of either restart', async () => {
    await aReplica().look(OLD);
    await aReplica().look(NEW);
    expect(await offered()).toEqual(['docs 1.2.0']);
    for (let minute = 0; minute < 10; minute++) {
      elapse(1);
      await aReplica().look(OLD);
      await aReplica().look(NEW);
    }
    expect(await offered()).toEqual(['docs 1.2.0']);
  });

  it('follows the newer one once no replica of the older is left, and the older one once that was put back', async () => {
    const [before, after] = [aReplica(), aReplica()];
    await before.look(OLD);
    await after.look(NEW);
    elapse(6);
    await after.look(NEW);
    expect(await offered()).toEqual(['docs 1.3.0', 'extra 1.0.0']);

    await before.look(OLD);
    expect(await offered()).toEqual(['docs 1.3.0', 'extra 1.0.0']);
    elapse(6);
    await before.look(OLD);
    expect(await offered()).toEqual(['docs 1.2.0']);
    expect(logger.lines).toMatchObject([{ level: 'info', fields: { removed: ['extra'] } }]);
  });

  it('keeps what a cluster has, and says so', async () => {
    await aReplica().look(NEW);
    const { spec } = aCluster({ addOns: [{ name: 'extra' }] });
    await clusters.create({ metadata: { name: 'demo', namespace: 'team-a' }, spec });
    elapse(6);
    await aReplica().look(OLD);
    expect(await offered()).toEqual(['docs 1.2.0', 'extra 1.0.0']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { left: ['extra'] } }]);
  });
});

describe('the catalogue', () => {
  it("keeps people's own add-ons", async () => {
    const { spec } = aPackage('own', '1.0.0');
    await addOns.create({ metadata: { name: 'own' }, spec });
    await aReplica().look(OLD);
    expect(await offered()).toEqual(['docs 1.2.0', 'own 1.0.0']);
  });

  it('keeps a copy that somebody made of a shipped one, label and all', async () => {
    await aReplica().look(NEW);
    const { metadata, spec } = (await addOns.find('docs')) as AddOn;
    await addOns.create({ metadata: { name: 'our-docs', labels: metadata.labels ?? {} }, spec });
    await aReplica().look(NEW);
    expect(await offered()).toEqual(['docs 1.3.0', 'extra 1.0.0', 'our-docs 1.3.0']);
  });

  it('is written when a replica starts, and not at its looks', async () => {
    const replica = aReplica();
    await replica.look(OLD);
    await addOns.remove('docs');
    elapse(1);
    await replica.look(OLD);
    expect(await offered()).toEqual([]);
    await aReplica().look(OLD);
    expect(await offered()).toEqual(['docs 1.2.0']);
  });

  it('is written again by a replica that stood still for so long that another release may have changed it', async () => {
    const replica = aReplica();
    await replica.look(OLD);
    await addOns.remove('docs');
    elapse(6);
    await replica.look(OLD);
    expect(await offered()).toEqual(['docs 1.2.0']);
  });
});
