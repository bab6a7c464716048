import { fileURLToPath } from 'node:url';
import type { LocalImagesInput } from '@crate/sandbox';
import { SERVICE_ORDER, type LocalService } from './service-order.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The simulated cloud that services in its clusters work on. */
export interface SimulatedCloud {
  readonly sandboxUrl: string;
  /** Path of the engine that talks to it. */
  readonly rke: string;
}

/** The images of the services, as this checkout has them, for clusters of a sandbox. */
export function serviceImages(cloud: SimulatedCloud): LocalImagesInput {
  return Object.fromEntries(
    SERVICE_ORDER.map((service) => [
      `ghcr.io/crate/crate-${service}`,
      {
        command: [process.execPath, '--enable-source-maps', `${ROOT}services/${service}/dist/main.js`],
        environment: { NODE_ENV: 'production', ...ownSettings(service, cloud) },
        paths: { '/opt/crate/console': `${ROOT}services/console/dist`, '/opt/crate/add-ons': `${ROOT}deploy/add-ons` },
      },
    ]),
  );
}

function ownSettings(service: LocalService, { sandboxUrl, rke }: SimulatedCloud): Readonly<Record<string, string>> {
  if (service === 'cloud-mgmt') return { CRATE_SANDBOX_URL: sandboxUrl };
  return service === 'cluster-mgmt' ? { CRATE_RKE_BINARY: rke } : {};
}
