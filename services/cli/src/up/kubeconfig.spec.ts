import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { renderKubeconfig } from './kubeconfig.js';

it('names server, authority and token, and what to use by default', () => {
  const ca = '-----BEGIN CERTIFICATE-----\nä\n';
  const text = renderKubeconfig({ server: 'https://127.0.0.1:6440', ca, token: 'abc', user: 'admin' });

  expect(parse(text)).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'crate',
        cluster: {
          server: 'https://127.0.0.1:6440',
          'certificate-authority-data': Buffer.from(ca).toString('base64'),
        },
      },
    ],
    users: [{ name: 'admin', user: { token: 'abc' } }],
    contexts: [{ name: 'crate', context: { cluster: 'crate', user: 'admin' } }],
    'current-context': 'crate',
  });
});

it('names what the certificate says where that is not the host of the URL', () => {
  const place = { server: 'https://lb.example.com', tlsServerName: 'crate-api.crate-system.svc' };
  const config = parse(renderKubeconfig({ ...place, ca: '', token: 'abc', user: 'admin' })) as { clusters: unknown };
  expect(config.clusters).toMatchObject([
    { cluster: { server: place.server, 'tls-server-name': place.tlsServerName } },
  ]);
});
