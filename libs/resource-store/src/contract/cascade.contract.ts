import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@crate/api';
import { blocking, keyFor, ownedBy, widget, type StoreBench } from './store-bench.js';

/** Owners and dependents: what becomes of one when the other goes. */
export function describeCascade(bench: StoreBench): void {
  describe('the cascade', () => {
    it('deletes dependents after their owner in the background, all the way down', async () => {
      const owner = await bench.store.create(widget('owner'));
      const child = await bench.store.create(widget('child', { ownerReferences: ownedBy(owner) }));
      await bench.store.create(widget('grandchild', { ownerReferences: ownedBy(child) }));
      await bench.store.create(widget('stranger'));

      expect(await bench.changesOf(() => bench.remove('owner'))).toEqual([
        'DELETED owner',
        'DELETED child',
        'DELETED grandchild',
      ]);
      expect(await bench.names()).toEqual(['stranger']);
    });

    it('happens as well when the last finalizer goes', async () => {
      const owner = await bench.store.create(widget('owner', { finalizers: ['a'] }));
      await bench.store.create(widget('child', { ownerReferences: ownedBy(owner) }));
      const marked = await bench.remove('owner');
      expect(await bench.names()).toEqual(['child', 'owner']);

      await bench.store.update({ ...marked, metadata: { ...marked.metadata, finalizers: [] } });
      expect(await bench.names()).toEqual([]);
    });

    it('marks dependents that have finalizers', async () => {
      const owner = await bench.store.create(widget('owner'));
      await bench.store.create(widget('child', { ownerReferences: ownedBy(owner), finalizers: ['a'] }));

      expect(await bench.changesOf(() => bench.remove('owner'))).toEqual(['DELETED owner', 'MODIFIED child']);
      expect((await bench.store.find(keyFor('child')))?.metadata).toMatchObject({ generation: 2, finalizers: ['a'] });
    });

    it('keeps a dependent while one of its owners stays, without the dead reference', async () => {
      const [one, two] = [await bench.store.create(widget('one')), await bench.store.create(widget('two'))];
      await bench.store.create(widget('child', { ownerReferences: ownedBy(one, two) }));

      await bench.remove('one');
      expect((await bench.store.find(keyFor('child')))?.metadata.ownerReferences).toEqual(ownedBy(two));
      await bench.remove('two');
      expect(await bench.isThere('child')).toBe(false);
    });

    it('leaves an owner in another store alone: it cannot be seen from here', async () => {
      const owner = await bench.store.create(widget('owner'));
      const foreign = { apiVersion: 'other.crate.dev/v1', kind: 'Thing', name: 'x', uid: 'elsewhere' };
      await bench.store.create(widget('child', { ownerReferences: [...ownedBy(owner), foreign] }));
      await bench.store.create(widget('foreign', { ownerReferences: [foreign] }));

      await bench.remove('owner');
      expect(await bench.names()).toEqual(['child', 'foreign']);
    });

    it('does not follow references across namespaces, but follows those to cluster-scoped owners', async () => {
      const owner = await bench.store.create(widget('owner'));
      const root = await bench.store.create({ ...widget('root'), metadata: { name: 'root' } as ObjectMeta });
      await bench.store.create(widget('other', { namespace: 'team-b', ownerReferences: blocking(owner) }));
      await bench.store.create(widget('child', { namespace: 'team-b', ownerReferences: ownedBy(root) }));

      await bench.remove('owner', { propagationPolicy: 'Foreground' });
      expect(await bench.names()).toEqual(['root', 'child', 'other']);
      await bench.store.remove(keyFor('root', ''));
      expect(await bench.names()).toEqual(['other']);
    });

    it('creates and collects a dependent whose owner has gone meanwhile', async () => {
      const owner = await bench.store.create(widget('owner'));
      await bench.remove('owner');

      const late = (): Promise<KubeObject> => bench.store.create(widget('late', { ownerReferences: ownedBy(owner) }));
      expect(await bench.changesOf(late)).toEqual(['ADDED late', 'DELETED late']);
    });

    it('collects an object whose references an update points to a dead owner', async () => {
      const owner = await bench.store.create(widget('owner'));
      const child = await bench.store.create(widget('child'));
      await bench.remove('owner');
      await bench.store.update({ ...child, metadata: { ...child.metadata, ownerReferences: ownedBy(owner) } });

      expect(await bench.isThere('child')).toBe(false);
    });

    it('takes references away under Orphan', async () => {
      const [owner, other] = [await bench.store.create(widget('owner')), await bench.store.create(widget('other'))];
      await bench.store.create(widget('child', { ownerReferences: ownedBy(owner, other) }));
      await bench.store.create(widget('single', { ownerReferences: ownedBy(owner) }));

      const changes = await bench.changesOf(() => bench.remove('owner', { propagationPolicy: 'Orphan' }));

      expect(changes).toEqual(['MODIFIED child', 'MODIFIED single', 'DELETED owner']);
      expect((await bench.store.find(keyFor('child')))?.metadata.ownerReferences).toEqual(ownedBy(other));
      expect((await bench.store.find(keyFor('single')))?.metadata).not.toHaveProperty('ownerReferences');
    });

    it('orphans before the finalizers of the owner are done, too, and once only', async () => {
      const owner = await bench.store.create(widget('owner', { finalizers: ['a'] }));
      await bench.store.create(widget('child', { ownerReferences: ownedBy(owner) }));
      const marked = await bench.remove('owner', { propagationPolicy: 'Orphan' });

      expect(marked.metadata.finalizers).toEqual(['a']);
      expect(await bench.changesOf(() => bench.remove('owner', { propagationPolicy: 'Orphan' }))).toEqual([]);
      await bench.store.update({ ...marked, metadata: { ...marked.metadata, finalizers: [] } });
      expect(await bench.names()).toEqual(['child']);
    });

    it('deletes dependents before their owner under Foreground', async () => {
      const owner = await bench.store.create(widget('owner'));
      const child = await bench.store.create(widget('child', { ownerReferences: blocking(owner) }));
      await bench.store.create(widget('grandchild', { ownerReferences: blocking(child) }));

      const changes = await bench.changesOf(() => bench.remove('owner', { propagationPolicy: 'Foreground' }));

      expect(changes).toEqual(['DELETED grandchild', 'DELETED child', 'DELETED owner']);
    });

    it('keeps the owner under Foreground until the last blocking dependent has gone', async () => {
      const owner = await bench.store.create(widget('owner'));
      await bench.store.create(widget('slow', { ownerReferences: blocking(owner), finalizers: ['a'] }));
      await bench.store.create(widget('quick', { ownerReferences: blocking(owner) }));
      await bench.store.create(widget('free', { ownerReferences: ownedBy(owner), finalizers: ['a'] }));

      const waiting = await bench.remove('owner', { propagationPolicy: 'Foreground' });
      expect(waiting.metadata).toMatchObject({ finalizers: ['foregroundDeletion'], generation: 2 });
      expect(await bench.names()).toEqual(['free', 'owner', 'slow']);

      const slow = (await bench.store.find(keyFor('slow'))) as KubeObject;
      expect(slow.metadata.deletionTimestamp).toBe('2026-01-01T12:00:00Z');
      await bench.store.update({ ...slow, metadata: { ...slow.metadata, finalizers: [] } });
      expect(await bench.names()).toEqual(['free']);
    });

    it('ends foreground deletion when the blocking dependent lets go of its owner', async () => {
      const [owner, other] = [await bench.store.create(widget('owner')), await bench.store.create(widget('other'))];
      await bench.store.create(widget('child', { ownerReferences: [...blocking(owner), ...ownedBy(other)] }));
      await bench.remove('owner', { propagationPolicy: 'Foreground' });

      expect(await bench.names()).toEqual(['child', 'other']);
      expect((await bench.store.find(keyFor('child')))?.metadata.ownerReferences).toEqual(ownedBy(other));
    });

    it('passes from Foreground to Background when asked to', async () => {
      const owner = await bench.store.create(widget('owner'));
      await bench.store.create(widget('slow', { ownerReferences: blocking(owner), finalizers: ['a'] }));
      await bench.remove('owner', { propagationPolicy: 'Foreground' });

      await bench.remove('owner');
      expect(await bench.isThere('owner')).toBe(true);
      await bench.remove('owner', { propagationPolicy: 'Background' });
      expect(await bench.isThere('owner')).toBe(false);
    });

    it.each(['Background', 'Foreground'] as const)('ends in a circle of owners under %s', async (propagationPolicy) => {
      const one = await bench.store.create(widget('one'));
      const two = await bench.store.create(widget('two', { ownerReferences: blocking(one) }));
      await bench.store.update({ ...one, metadata: { ...one.metadata, ownerReferences: blocking(two) } });

      await bench.remove('one', { propagationPolicy });
      expect(await bench.names()).toEqual([]);
    });
  });
}
