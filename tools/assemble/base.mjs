import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Apt, cacheDir, downloadWithOwnApt } from './apt.mjs';
import { ownArchitecture, readBaseLock } from './base-lock.mjs';
import { filesBelow } from './contents.mjs';
import { USER } from './images.mjs';

/** Packages that only images with a shell have: it, and a first process that reaps what programs leave behind. */
const WITH_SHELL = new Set(['dash', 'tini']);
/** Pages, translations and tools for administrators: nobody logs in. */
const NOT_NEEDED =
  /^(usr\/share\/(man|locale|info|lintian|bug|doc-base|menu|debianutils|base-files|dict)|usr\/(games|include|src|local)|(usr\/)?s?bin\/(?!(dash|tini)$)|usr\/lib\/.*\/(gconv|audit)|etc\/(update-motd\.d|profile\.d|init\.d|cron|skel|default)|(boot|dev|home|media|mnt|opt|proc|root|run|srv|sys|tmp|var))/;
const CERTIFICATES = 'usr/share/ca-certificates/mozilla';

/**
 * Gives the packages that the operating system of images is made of, each with its `file`: those of base.lock.json. `mayBeNewer`: where one
 * of them cannot be had any more, that of today.
 */
export function fetchBase({ architecture, hasShell, mayBeNewer }) {
  const { packages, snapshot } = readBaseLock();
  const archive = new Archive(architecture, snapshot, mayBeNewer);
  return packages[architecture].filter(isIn({ hasShell })).map((each) => archive.fetch(each));
}

/** Puts the operating system of an image into `tree`: what Node needs and no more. Gives those of `packages`, fetched, that it is made of. */
export function layBase(tree, packages, { architecture, hasShell }) {
  const found = packages.filter(isIn({ hasShell }));
  for (const { file, name } of found) unpack(tree, file, name);
  bundleCertificates(tree);
  writeSystemFiles(tree);
  if (hasShell) tree.link('bin/sh', 'dash');
  return found.map(({ name, version, sha256 }) => ({ name, version, sha256, architecture }));
}

const isIn =
  ({ hasShell }) =>
  ({ name }) =>
    hasShell || !WITH_SHELL.has(name);

/** Where packages come from: what was fetched before, this machine's apt, Debian of today, Debian of the day of the lock. */
class Archive {
  opened = new Map();

  constructor(architecture, snapshot, mayBeNewer) {
    Object.assign(this, { architecture, snapshot, mayBeNewer });
  }

  fetch(wanted) {
    const kept = join(cacheDir(), 'debs', `${wanted.sha256}.deb`);
    const sources = [
      () => existsSync(kept) && kept,
      () =>
        this.architecture === ownArchitecture() &&
        downloadWithOwnApt(wanted, this.architecture, join(cacheDir(), `own-${wanted.sha256}`)),
      () => this.apt().download(wanted),
      () => this.apt(this.snapshot).download(wanted),
    ];
    for (const source of sources) {
      const file = attempt(source);
      if (file && sha256Of(file) === wanted.sha256) return { ...wanted, file: keep(file, kept) };
    }
    if (!this.mayBeNewer) {
      throw new Error(
        `${wanted.name} ${wanted.version} of deploy/images/base.lock.json can be had neither from Debian's mirror nor from snapshot.debian.org; ` +
          'let this machine reach one of them, or run npm run images:pin to go on to what Debian has today',
      );
    }
    const newest = this.apt().newest(wanted.name);
    return { ...newest, file: this.apt().download(newest) };
  }

  apt(snapshot) {
    if (!this.opened.has(snapshot)) {
      const apt = new Apt(this.architecture, snapshot);
      apt.update();
      this.opened.set(snapshot, apt);
    }
    return this.opened.get(snapshot);
  }
}

function attempt(source) {
  try {
    return source();
  } catch {
    return undefined;
  }
}

function keep(file, kept) {
  if (file === kept) return kept;
  mkdirSync(join(kept, '..'), { recursive: true });
  copyFileSync(file, `${kept}.${process.pid}`);
  renameSync(`${kept}.${process.pid}`, kept);
  return kept;
}

function unpack(tree, file, name) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-deb-'));
  try {
    execFileSync('dpkg-deb', ['-x', file, directory]);
    copyNeeded(tree, directory);
    // Where scanners look when there is no package manager.
    tree.write(`var/lib/dpkg/status.d/${name}`, execFileSync('dpkg-deb', ['-f', file]));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function copyNeeded(tree, directory, folder = '') {
  for (const entry of readdirSync(join(directory, folder), { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const isDoc = path.startsWith('usr/share/doc/');
    if (NOT_NEEDED.test(path) || (isDoc && !entry.isDirectory() && entry.name !== 'copyright')) continue;
    if (entry.isDirectory()) copyNeeded(tree, directory, path);
    else if (entry.isSymbolicLink())
      tree.link(path, execFileSync('readlink', [join(directory, path)], { encoding: 'utf8' }).trim());
    else tree.copy(join(directory, path), path);
  }
}

/** As the package's own installation does on a system: one file of all. */
function bundleCertificates(tree) {
  const folder = tree.at(CERTIFICATES);
  const all = filesBelow(folder).filter((name) => name.endsWith('.crt'));
  tree.write('etc/ssl/certs/ca-certificates.crt', all.map((name) => readFileSync(join(folder, name), 'utf8')).join(''));
  rmSync(tree.at('usr/share/ca-certificates'), { recursive: true });
}

function writeSystemFiles(tree) {
  const { name, id } = USER;
  tree.write(
    'etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\n${name}:x:${id}:${id}:Crate:/var/lib/crate:/sbin/nologin\n`,
  );
  tree.write('etc/group', `root:x:0:\n${name}:x:${id}:\n`);
  tree.write('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  // No etc/machine-id: pods of one name would be one machine by it, see ADR 0474.
  // What the engine fills: names, addresses, devices.
  for (const file of ['etc/hosts', 'etc/resolv.conf', 'etc/hostname']) tree.write(file, '');
  for (const folder of ['etc/crate', 'proc', 'sys', 'dev', 'run']) tree.folder(folder);
  tree.folder('tmp', 0o1777);
}

export function sha256Of(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
