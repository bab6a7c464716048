import { KubeconfigFile, type Section } from './kubeconfig-file.js';

/** What an entry holds, and the file that it stands in: paths of it are relative to that. */
export interface Found<T> {
  readonly content: T;
  readonly path: string;
}

/**
 * Several kubeconfigs as one, as kubectl sees them: for each value, and for each entry by its name, the first file that has it wins,
 * whichever files the others come from.
 * Source: https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
export class MergedKubeconfig {
  private constructor(private readonly files: readonly { readonly path: string; readonly file: KubeconfigFile }[]) {}

  /** A file that is not there says nothing. */
  static async read(paths: readonly string[]): Promise<MergedKubeconfig> {
    const files = paths.map(async (path) => ({ path, file: await KubeconfigFile.read(path) }));
    return new MergedKubeconfig(await Promise.all(files));
  }

  /** Undefined when no file names one. */
  get currentContext(): string | undefined {
    return this.files.map(({ file }) => file.currentContext).find(Boolean);
  }

  /** Undefined when no file has an entry of the name. */
  find<T>(section: Section, name: string): Found<T> | undefined {
    for (const { path, file } of this.files) {
      const content = file.find<T>(section, name);
      if (content !== undefined) return { content, path };
    }
    return undefined;
  }
}
