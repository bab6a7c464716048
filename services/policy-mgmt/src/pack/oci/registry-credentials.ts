import { readFile } from 'node:fs/promises';
import { invalidSpec } from '@crate/errors';

export interface RegistryCredentials {
  readonly user: string;
  readonly password: string;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, { readonly auth?: string } | undefined>>;
}

/** What a file such as `~/.docker/config.json` says of a registry; undefined when it says nothing. Throws InvalidSpec without quoting the file. */
export async function registryCredentials(file: string, registry: string): Promise<RegistryCredentials | undefined> {
  const { auths = {} } = await readConfig(file);
  const auth = (auths[registry] ?? auths[`https://${registry}`])?.auth;
  if (auth === undefined) return undefined;
  const [user = '', ...password] = Buffer.from(auth, 'base64').toString('utf8').split(':');
  return { user, password: password.join(':') };
}

async function readConfig(file: string): Promise<DockerConfig> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as DockerConfig;
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
    throw invalidSpec(`${file} cannot be read as a Docker configuration: ${why}`, []);
  }
}
