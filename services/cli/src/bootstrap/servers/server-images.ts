import { valuesOf } from '../platform-chart.js';
import type { BootstrapRequest } from '../request.js';

/** As in deploy/images/foreign.lock.json, whose digests `npm run images:pin` writes here. */
// prettier-ignore
const IMAGES = {
  postgres: 'docker.io/library/postgres:18.3-bookworm',
  nats: 'docker.io/library/nats:2.11.16-alpine',
} as const;
const PUBLISHERS = /^docker\.io\//;

/** What a server runs, and what its registry asks for. */
export interface ServerImage {
  readonly image: string;
  /** Names of Secrets, as pods have them. */
  readonly pullSecrets: readonly object[];
}

/** The image of a server: from the registry that is named for it, by the path that it has at its publisher's, with the Secrets that services have. */
export async function serverImage(server: keyof typeof IMAGES, request: BootstrapRequest): Promise<ServerImage> {
  const { serverRegistry } = request;
  const { image = {} } = (await valuesOf(request, {})) as { readonly image?: Partial<ServerImage> };
  const named =
    serverRegistry === undefined ? IMAGES[server] : IMAGES[server].replace(PUBLISHERS, `${serverRegistry}/`);
  return { image: named, pullSecrets: image.pullSecrets ?? [] };
}
