import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from './node-program.js';
import { writeSecretFile } from './secret-file.js';
import { serviceEnvironment, type PlatformContext, type ServiceInstance } from './services.js';
import type { LocalService } from './service-order.js';
import type { ChildProgram } from './supervisor.js';

/** The process that holds all services, where one does. */
export const ALL_IN_ONE = 'all-in-one';

/** The same programs, loaded into one process. */
export async function allInOneProgram(
  instances: readonly ServiceInstance[],
  context: PlatformContext,
): Promise<ChildProgram> {
  const { dir, programs } = context;
  const services = await Promise.all(
    instances.map(async (instance) => ({
      program: modulesOf(instance.service),
      environment: await serviceEnvironment(instance, context),
    })),
  );
  const home = dir.service(ALL_IN_ONE);
  const file = join(home, 'services.json');
  await writeSecretFile(file, JSON.stringify(services, undefined, 2));
  const entry = fileURLToPath(new URL('../../../../libs/service-host/dist/all-in-one.js', import.meta.url));
  const { args, ...rest } = program(entry);
  return { ...rest, args: [...args, file], env: { PATH: programs.searchPath, HOME: home, NODE_ENV: 'production' } };
}

/** What several services in one process share is loaded once: bundles have each their own. */
function modulesOf(service: LocalService): string {
  return fileURLToPath(new URL(`../../../${service}/dist/service.js`, import.meta.url));
}
