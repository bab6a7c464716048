import { postgresBinaries } from '@crate/local-servers';
import type { ServerPrograms } from '@crate/sandbox';
import { findProgram } from '../prerequisites/find-program.js';

/** The servers of this machine that images of a simulated cluster may stand for; what is missing is left out, and its pods stay simulated. */
export async function serverPrograms(searchPath: string): Promise<ServerPrograms> {
  const natsServer = findProgram(['nats-server'], searchPath);
  // An optional dependency, which does not exist for every machine.
  const postgres = await postgresBinaries().catch(() => undefined);
  return { ...(natsServer === undefined ? {} : { natsServer }), ...(postgres ? { postgres } : {}) };
}
