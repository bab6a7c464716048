import type { KubeList, KubeObject } from '@crate/api';
import type { ApiClient } from '../client/api-client.js';
import { contextOf } from '../client/context.js';
import { readCliEnvironment } from '../config.js';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { collectionPath, ServedKinds } from '../objects/served-kinds.js';
import type { Candidate, Names } from './candidates.js';
import type { CommandLine } from './command-line.js';

/** Somebody waits with a finger on a key. */
const WITHIN_MS = 1_500;
const MOST = 200;

interface At {
  readonly api: ApiClient;
  readonly namespace: string;
}

/** Asks the platform that the words on the line choose. What does not come in time is not offered. */
export class PlatformNames implements Names {
  async kinds(line: CommandLine): Promise<readonly Candidate[]> {
    return inTime(async () => {
      const { api } = await this.at(line);
      const { all } = await ServedKinds.load(api);
      return all
        .filter(({ verbs }) => verbs.includes('list'))
        .map(({ plural, kind, group }) => ({
          value: plural,
          description: group === '' ? kind : `${kind} of ${group}`,
        }));
    });
  }

  async objects(line: CommandLine, type: string): Promise<readonly Candidate[]> {
    return inTime(async () => {
      const { api, namespace } = await this.at(line);
      const [kind] = (await ServedKinds.load(api)).named(type);
      if (!kind) return [];
      const { items } = await api.get<KubeList<KubeObject>>(`${collectionPath(kind, namespace)}?limit=${MOST}`);
      return items.map(({ metadata }) => ({ value: metadata.name }));
    });
  }

  async contexts(line: CommandLine): Promise<readonly Candidate[]> {
    return inTime(async () => {
      const stated = line.values.get('kubeconfig');
      const paths = stated === undefined ? readCliEnvironment().kubeconfigs : [stated];
      const files = await Promise.all(paths.map(async (path) => KubeconfigFile.read(path)));
      return files.flatMap((file) => file.names('contexts')).map((value) => ({ value }));
    });
  }

  private async at({ values }: CommandLine): Promise<At> {
    const stated = ['kubeconfig', 'context', 'dataDir', 'namespace'].map((name) => [name, values.get(name)] as const);
    // `@crate/api` could do it, and would bring the schema of every kind along.
    const options = Object.fromEntries(stated.filter(([, value]) => value !== undefined)) as Record<string, string>;
    const { api, namespace } = await contextOf(options);
    return { api: api.with({ timeoutMs: WITHIN_MS, warn: () => undefined }), namespace };
  }
}

/** Nothing when it fails or takes too long. */
async function inTime(ask: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  const late = new Promise<readonly Candidate[]>((resolve) => setTimeout(() => resolve([]), WITHIN_MS).unref());
  return Promise.race([ask().catch(() => []), late]);
}
