import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

/** The lock file of the workspace, as npm resolves names in it. */
export class LockFile {
  constructor(packages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages) {
    this.packages = packages;
  }

  /** Directories of the workspace's own packages, by name. */
  get workspaces() {
    const links = Object.entries(this.packages).filter(([, { link }]) => link);
    return new Map(links.map(([path, { resolved }]) => [path.slice('node_modules/'.length), resolved]));
  }

  /** Directories of a workspace and of those that it depends on. */
  withWorkspaces(directory) {
    const found = new Set([directory]);
    for (const each of found)
      for (const { name } of this.needsOf(each)) if (this.workspaces.has(name)) found.add(this.workspaces.get(name));
    return [...found];
  }

  /** Where `name` is found from `from`, the way Node looks for it; undefined when it is not installed. */
  find(name, from) {
    for (let directory = from; ; directory = parentOf(directory)) {
      const path = join(directory, 'node_modules', name);
      if (this.packages[path] !== undefined) return path;
      if (directory === '') return undefined;
    }
  }

  /**
   * What `directories` of the workspace need at run time, and what that needs: as `npm ci --omit=dev` installs it for them alone.
   * `platform` is what Node and npm call the machine that it shall run on.
   */
  closure(directories, platform) {
    const found = new Set();
    const waiting = directories.flatMap((directory) => this.needsOf(directory));
    while (waiting.length > 0) {
      const { name, from, isOptional } = waiting.pop();
      const path = this.find(name, from);
      const entry = path && this.packages[path];
      if (!entry) {
        if (isOptional) continue;
        throw new Error(`${from || 'The workspace'} needs ${name}, which package-lock.json does not have`);
      }
      if (entry.link || found.has(path) || isForAnother(entry, platform) || name.startsWith('@types/')) continue;
      found.add(path);
      waiting.push(...this.needsOf(path));
    }
    return [...found].sort();
  }

  needsOf(path) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = this.packages[path];
    const isOptionalPeer = (name) => peerDependenciesMeta?.[name]?.optional === true;
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !isOptionalPeer(name));
    return [
      ...Object.keys(dependencies ?? {}).map((name) => ({ name, from: path })),
      ...[...Object.keys(optionalDependencies ?? {}), ...peers].map((name) => ({ name, from: path, isOptional: true })),
    ];
  }
}

function parentOf(directory) {
  const at = directory.lastIndexOf('/node_modules/');
  if (at >= 0) return directory.slice(0, at);
  return directory.includes('/') ? directory.slice(0, directory.lastIndexOf('/')) : '';
}

function isForAnother({ os, cpu, libc }, platform) {
  const excludes = (list, value) =>
    list !== undefined && !list.includes(value) && !list.some((each) => isNot(each, value));
  return excludes(os, platform.os) || excludes(cpu, platform.cpu) || excludes(libc, platform.libc);
}

const isNot = (each, value) => each.startsWith('!') && each.slice(1) !== value;
