import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { TestCluster } from '../testing/running-cluster.js';

const CERTIFICATE = { subject: { CN: 'admin', O: 'system:masters' } };
const POD: Manifest = {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
  spec: {
    containers: [
      { name: 'app', image: 'app:1' },
      { name: 'proxy', image: 'proxy:2' },
    ],
  },
};

describe('the log of a pod', () => {
  let cluster: TestCluster;
  let server: Server;

  beforeEach(async () => {
    cluster = await TestCluster.start();
    server = createServer((request, response) => {
      Object.assign(request.socket, { authorized: true, getPeerCertificate: () => CERTIFICATE });
      void cluster.running.handle(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await cluster.apply(POD);
  });

  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await cluster.stop();
  });

  it.each([
    { query: '', want: /^app: .* of app:1, .*\nproxy: .* of proxy:2, .*\n$/ },
    { query: '?container=proxy', want: /^proxy: .* of proxy:2, .*\n$/ },
  ])('is that of the containers that are asked for: "$query"', async ({ query, want }) => {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/pods/web/log${query}`);
    expect(await answer.text()).toMatch(want);
  });
});
