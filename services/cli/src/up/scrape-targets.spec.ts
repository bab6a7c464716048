import { describe, expect, it } from '@jest/globals';
import { scrapeTargets } from './scrape-targets.js';

describe('targets of a scrape', () => {
  it('are the services, each replica by its own name, and nothing else', () => {
    const processes = {
      postgres: { pid: 1 },
      sandbox: { pid: 2 },
      'cloud-mgmt': { pid: 3, healthUrl: 'http://127.0.0.1:4001' },
      'cloud-mgmt-2': { pid: 0, healthUrl: 'http://127.0.0.1:4002' },
    };
    expect(scrapeTargets({ processes })).toEqual([
      { targets: ['127.0.0.1:4001'], labels: { service: 'cloud-mgmt', replica: 'cloud-mgmt' } },
      { targets: ['127.0.0.1:4002'], labels: { service: 'cloud-mgmt', replica: 'cloud-mgmt-2' } },
    ]);
  });
});
