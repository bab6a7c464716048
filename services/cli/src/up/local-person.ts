import { badRequest } from '@crate/errors';
import { RESERVED_PREFIX, type Person } from '@crate/auth';
import { ensureServerCertificate } from './certificates.js';
import type { DataDir } from './data-dir.js';
import { renderKubeconfig } from './kubeconfig.js';
import { issueToken } from './services.js';

/** A kubeconfig for somebody made up, on a local platform. Throws BadRequest for names that are the platform's own. */
export async function personKubeconfig(dir: DataDir, server: string, person: Person): Promise<string> {
  const reserved = [person.user, ...person.groups].find((name) => name.startsWith(RESERVED_PREFIX));
  if (reserved !== undefined)
    throw badRequest(`Names that begin with ${RESERVED_PREFIX} are the platform's own: ${reserved}`);
  const { ca } = await ensureServerCertificate(dir);
  return renderKubeconfig({ server, ca, token: issueToken(dir, person), user: person.user });
}
