// Several services in one process: all-in-one.js FILE, where FILE lists, as JSON, the compiled module that runs each service, and its variables.
import { readFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { gatherServices, runServices, type ServiceRun } from './run-service.js';

const list = z.array(z.object({ program: z.string(), environment: z.record(z.string(), z.string()) })).min(1);

// Services are some thousand modules here: bundles would load faster, and have twice what they share.
enableCompileCache(fileURLToPath(new URL('compiled/', import.meta.url)));

const entries = list.parse(JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')));
const services: ServiceRun[] = [];
for (const { program, environment } of entries) {
  const found = await gatherServices(() => import(pathToFileURL(program).href));
  services.push(...found.map((options) => ({ options, environment })));
}
await runServices(services);
