import { postgresBinaries } from '@crate/local-servers';
import type { ServerPrograms } from '@crate/sandbox';
import { findProgram } from '../prerequisites/find-program.js';

/**
 * The servers of this machine that images of a simulated cluster may stand for; what is missing is left out, and its
 * pods stay simulated. `besides`: where else than in `searchPath` programs are looked for; where distributions put them
 * unless it is given.
 */
export async function serverPrograms(searchPath: string, besides?: readonly string[]): Promise<ServerPrograms> {
  const natsServer = findProgram(['nats-server'], searchPath, besides);
  // An optional dependency, which does not exist for every machine.
  const postgres = await postgresBinaries().catch(() => undefined);
  return { ...(natsServer === undefined ? {} : { natsServer }), ...(postgres ? { postgres } : {}) };
}
