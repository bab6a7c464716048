import { fileURLToPath } from 'node:url';
import type { LocalImagesInput } from '@crate/sandbox';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];

/** Name of a service's schema and role in PostgreSQL. */
export function schemaOf(service: string): string {
  return service.replaceAll('-', '_');
}

/** The images of the services, as this checkout has them; in the cluster of a sandbox they work on the same simulated cloud. */
export function serviceImages(options: { readonly sandboxUrl: string; readonly rke: string }): LocalImagesInput {
  const environment = { NODE_ENV: 'production', CRATE_SANDBOX_URL: options.sandboxUrl, CRATE_RKE_BINARY: options.rke };
  const paths = {
    '/opt/crate/console': `${ROOT}services/console/dist`,
    '/opt/crate/add-ons': `${ROOT}deploy/add-ons`,
  };
  const entries = SERVICES.map((service) => {
    const command = [process.execPath, '--enable-source-maps', `${ROOT}services/${service}/dist/main.js`];
    return [`ghcr.io/crate/crate-${service}`, { command, environment: environmentOf(service, environment), paths }];
  });
  return Object.fromEntries(entries) as LocalImagesInput;
}

/** Services refuse what they do not know, so each is given its own. */
function environmentOf(
  service: string,
  all: { readonly NODE_ENV: string; readonly CRATE_SANDBOX_URL: string; readonly CRATE_RKE_BINARY: string },
): Record<string, string> {
  const { NODE_ENV, CRATE_SANDBOX_URL, CRATE_RKE_BINARY } = all;
  if (service === 'cloud-mgmt') return { NODE_ENV, CRATE_SANDBOX_URL };
  return service === 'cluster-mgmt' ? { NODE_ENV, CRATE_RKE_BINARY } : { NODE_ENV };
}
