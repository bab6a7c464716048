import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const RELEASE = 'bookworm';

/** Where what was fetched is kept; goes with node_modules. */
export const cacheDir = () => join(root, 'node_modules', '.cache', 'crate', 'images');

/**
 * An apt of its own, for any architecture, that leaves the machine's alone. `snapshot` as snapshot.debian.org names them; without it the
 * packages of today.
 */
export class Apt {
  constructor(architecture, snapshot) {
    this.architecture = architecture;
    this.directory = join(cacheDir(), `apt-${architecture}${snapshot ? `-${snapshot}` : ''}`);
    this.mirror = snapshot
      ? (archive) => `http://snapshot.debian.org/archive/${archive}/${snapshot}`
      : (archive) => `http://deb.debian.org/${archive}`;
  }

  /** Brings the lists up to date. */
  update() {
    for (const folder of ['state/lists/partial', 'cache/archives/partial', 'etc', 'debs']) {
      mkdirSync(join(this.directory, folder), { recursive: true });
    }
    const line = (archive, suite) =>
      `deb [signed-by=${KEYRING} check-valid-until=no] ${this.mirror(archive)} ${suite} main\n`;
    const lines = [
      line('debian', RELEASE),
      line('debian', `${RELEASE}-updates`),
      line('debian-security', `${RELEASE}-security`),
    ];
    writeFileSync(join(this.directory, 'etc', 'sources.list'), lines.join(''));
    writeFileSync(join(this.directory, 'state', 'status'), '');
    this.run('apt-get', 'update', '-qq');
  }

  /** Newest version of a package, and the digest that the signed list of packages states. */
  newest(name) {
    const text = this.run('apt-cache', 'show', '--no-all-versions', name);
    const field = (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1];
    return { name, version: field('Version'), sha256: field('SHA256') };
  }

  /** Path of the package's file. */
  download({ name, version }) {
    const debs = join(this.directory, 'debs');
    execFileSync('apt-get', [...this.options(), 'download', '-qq', `${name}=${version}`], { cwd: debs, stdio: 'pipe' });
    return join(
      debs,
      readdirSync(debs).find((file) => file.startsWith(`${name}_`)),
    );
  }

  run(program, ...args) {
    return execFileSync(program, [...this.options(), ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
  }

  options() {
    const settings = {
      'APT::Architecture': this.architecture,
      'APT::Architectures': this.architecture,
      'APT::Sandbox::User': 'root',
      'Dir::State': join(this.directory, 'state'),
      'Dir::State::status': join(this.directory, 'state', 'status'),
      'Dir::Cache': join(this.directory, 'cache'),
      'Dir::Etc::sourcelist': join(this.directory, 'etc', 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'Dir::Etc::preferencesparts': '-',
    };
    return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  }
}

/** A package as this machine's own apt has it; undefined when it has another version, or when there is no apt. */
export function downloadWithOwnApt({ name, version }, architecture, directory) {
  mkdirSync(directory, { recursive: true });
  try {
    execFileSync('apt-get', ['download', '-qq', `${name}:${architecture}=${version}`], {
      cwd: directory,
      stdio: 'pipe',
    });
  } catch {
    return undefined;
  }
  const file = readdirSync(directory).find((each) => each.startsWith(`${name}_`));
  return file && join(directory, file);
}
