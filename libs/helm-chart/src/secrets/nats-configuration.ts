import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICES } from '@crate/auth';
import { CHART, ROOT } from '../files/written-files.js';
import { RELEASE } from '../render/staged-chart.js';
import { passwordVariable } from '../values/nats-values.js';
import type { ReleaseSecrets } from './release-secrets.js';

/** For a NATS of one's own: the file that the chart ships, with the passwords of these secrets, which it takes from its environment elsewhere. */
export async function natsConfiguration({ secrets }: ReleaseSecrets): Promise<string> {
  const file = await readFile(join(ROOT, CHART, 'files/nats/authorization.conf'), 'utf8');
  const passwords = SERVICES.map((service) => {
    const found = secrets.find(({ metadata }) => metadata.name === `${RELEASE}-${service}-credentials`);
    return `${passwordVariable(service)}: ${found?.stringData['nats-password']}`;
  });
  return [...passwords, file].join('\n');
}
