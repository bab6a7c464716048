// Generates the Prisma client of each service into src/generated: `node tools/prisma-generate.mjs [service directory…]`.
// Works offline, and does nothing where schema and Prisma version are those of the last time.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const stub = fileURLToPath(new URL('./schema-engine-stub.sh', import.meta.url));
const require = createRequire(import.meta.url);

/** Brings the clients of the given service directories up to date; without any, those of all services. */
export async function generateClients(directories) {
  const wanted = directories?.length ? directories.map((directory) => resolve(directory)) : await allServices();
  await Promise.all(wanted.filter((directory) => existsSync(schemaOf(directory))).map(generate));
}

const schemaOf = (directory) => join(directory, 'prisma', 'schema.prisma');

async function allServices() {
  const services = join(root, 'services');
  return (await readdir(services)).map((name) => join(services, name));
}

async function generate(directory) {
  const prisma = require.resolve('prisma/package.json');
  const { version, bin } = JSON.parse(await readFile(prisma, 'utf8'));
  const schema = await readFile(schemaOf(directory));
  const fingerprint = createHash('sha256').update(version).update(schema).digest('hex');
  const stamp = join(directory, 'src', 'generated', '.fingerprint');
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === fingerprint) return;

  const entry = join(dirname(prisma), bin.prisma);
  await run(process.execPath, [entry, 'generate', '--schema', schemaOf(directory)], {
    cwd: directory,
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: stub,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  await writeFile(stamp, fingerprint);
  console.log(`Generated the Prisma client of ${relative(root, directory)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateClients(process.argv.slice(2));
