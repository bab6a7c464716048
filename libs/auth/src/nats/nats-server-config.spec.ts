import { describe, expect, it } from '@jest/globals';
import { ServiceRegistry } from '../service-registry.js';
import { natsPermissions } from './nats-permissions.js';
import { natsServerConfig } from './nats-server-config.js';

describe('natsPermissions', () => {
  it('gives a service the subjects of the services it may call, and its own', () => {
    expect(natsPermissions('cloud-mgmt', new ServiceRegistry())).toEqual({
      publish: ['crate.policy-mgmt.>', 'crate.hints.cloud-mgmt', 'crate.announce.cloud-mgmt', 'crate.discovery'],
      subscribe: [
        'crate.cloud-mgmt.>',
        'crate.hints.cloud-mgmt',
        'crate.hints.policy-mgmt',
        'crate.announce.policy-mgmt',
        'crate.discovery',
        '_INBOX_cloud-mgmt.>',
      ],
    });
  });

  it('lets a service that calls nobody publish nothing but hints and announcements', () => {
    const { publish } = natsPermissions('policy-mgmt', new ServiceRegistry());
    expect(publish).toEqual(['crate.hints.policy-mgmt', 'crate.announce.policy-mgmt']);
  });
});

describe('natsServerConfig', () => {
  it('listens on loopback only', () => {
    expect(natsServerConfig({ port: 4222, users: [] })).toContain('host: "127.0.0.1"');
  });

  it('listens elsewhere with TLS alone', () => {
    const tls = { certificateFile: '/tls.crt', keyFile: '/tls.key' };
    expect(natsServerConfig({ port: 4222, users: [], host: '0.0.0.0', tls })).toContain('host: "0.0.0.0"');
    expect(() => natsServerConfig({ port: 4222, users: [], host: '0.0.0.0' })).toThrow(
      expect.objectContaining({ code: 'Invariant' }),
    );
  });

  it('refuses a user that is no service', () => {
    const users = [{ service: 'stranger', password: 'x' }];
    expect(() => natsServerConfig({ port: 1, users })).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });

  it('refuses a password that could change the file, without showing it', () => {
    const users = [{ service: 'lifecycle', password: 'a" }, { user: "b' }];
    expect(() => natsServerConfig({ port: 1, users })).toThrow(/^(?!.*user: "b)/);
  });
});
