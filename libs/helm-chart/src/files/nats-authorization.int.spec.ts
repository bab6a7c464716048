import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALL_MATRIX, inboxPrefix, SERVICES } from '@crate/auth';
import { connectNats } from '@crate/messaging';
import { InMemoryLogger } from '@crate/telemetry';
import { startNats, type NatsServer } from '@crate/testing';
import { passwordVariable } from '../values/nats-values.js';
import { CHART, ROOT } from './written-files.js';

describe('files/nats/authorization.conf on a real nats-server', () => {
  let server: NatsServer;

  beforeAll(async () => {
    const file = await readFile(join(ROOT, CHART, 'files/nats/authorization.conf'), 'utf8');
    // In the file itself a variable means the same as in the environment.
    const passwords = SERVICES.map((service) => `${passwordVariable(service)}: "n-${service}"`);
    server = await startNats({ config: [...passwords, file].join('\n') });
  });
  afterAll(() => server.stop());

  function connect(service: string, password: string) {
    const prefix = inboxPrefix(service);
    const options = { url: server.url, user: service, password, name: 'test', inboxPrefix: prefix };
    return connectNats({ ...options, logger: new InMemoryLogger() });
  }

  it.each(SERVICES)('lets %s ask those whom the call matrix names, and nobody else', async (service) => {
    const connection = await connect(service, `n-${service}`);
    try {
      for (const peer of SERVICES.filter((other) => other !== service)) {
        const asked = connection.request(`crate.${peer}.anything`, '', { timeout: 30_000 });
        const code = await asked.then(
          () => 'answered',
          (error: Error) => error.message,
        );
        // Nobody listens: who may ask is told so, who may not is refused.
        const want = CALL_MATRIX[service].includes(peer) ? /no responders/i : /permissions violation/i;
        expect({ peer, code }).toEqual({ peer, code: expect.stringMatching(want) });
      }
    } finally {
      await connection.close();
    }
  });

  it('knows nobody else, and no other password', async () => {
    await expect(connect('stranger', 'n-lifecycle')).rejects.toThrow();
    await expect(connect('lifecycle', 'n-cloud-mgmt')).rejects.toThrow();
  });
});
