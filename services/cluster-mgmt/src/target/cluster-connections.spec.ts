import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { InMemorySecretStore } from '@crate/secrets';
import { eventually } from '@crate/testing';
import { StoredClusterConnections, type ConnectionTimes } from './cluster-connections.js';

const UID = 'uid-demo';

/** A connection that remembers what it was opened with. */
class Connection extends InMemoryTargetCluster {
  isClosed = false;

  constructor(readonly kubeconfig: string) {
    super();
  }

  override close(): Promise<void> {
    this.isClosed = true;
    return super.close();
  }
}

let secrets: InMemorySecretStore;
let opened: Connection[];
let connections: StoredClusterConnections;
beforeEach(() => {
  secrets = new InMemorySecretStore();
  opened = [];
  connections = connectionsWith({ graceMs: 50, idleMs: 60_000 });
});

function connectionsWith(times: ConnectionTimes): StoredClusterConnections {
  const connect = (kubeconfig: string): TargetCluster => {
    const connection = new Connection(kubeconfig);
    opened.push(connection);
    return connection;
  };
  return new StoredClusterConnections(secrets, connect, times);
}

function store(kubeconfig: string): Promise<number> {
  return secrets.put(UID, 'kubeconfig', Buffer.from(kubeconfig));
}

describe('StoredClusterConnections', () => {
  it('finds no way into a cluster without a kubeconfig', async () => {
    expect(await connections.find(UID)).toBeUndefined();
  });

  it('opens one connection, also when asked twice at once', async () => {
    await store('one');
    const [first, second] = await Promise.all([connections.find(UID), connections.find(UID)]);

    expect(first).toBe(second);
    expect(await connections.find(UID)).toBe(first);
    expect(opened).toHaveLength(1);
  });

  it('moves to a newer kubeconfig, and closes the old connection once those who found it are done', async () => {
    await store('one');
    await connections.find(UID);
    await store('two');

    expect(((await connections.find(UID)) as Connection).kubeconfig).toBe('two');
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    await eventually(() => expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]));
  });

  it('finds nothing any more once the kubeconfig is gone', async () => {
    await store('one');
    await connections.find(UID);
    await secrets.removeOwner(UID);

    expect(await connections.find(UID)).toBeUndefined();
    // Another replica may have been the one that forgot the cluster.
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([false]);
    await eventually(() => expect(opened.map(({ isClosed }) => isClosed)).toEqual([true]));
  });

  it('closes what nobody asks for any more, and opens it again for who does', async () => {
    connections = connectionsWith({ graceMs: 50, idleMs: 50 });
    await store('one');
    await connections.find(UID);
    await eventually(() => expect(opened.map(({ isClosed }) => isClosed)).toEqual([true]));

    await connections.find(UID);
    expect(opened).toHaveLength(2);
    await connections.close();
  });

  it('closes what it opened', async () => {
    await store('one');
    await connections.find(UID);
    await connections.drop(UID);
    await connections.drop(UID);
    await connections.find(UID);
    await connections.close();

    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });
});
