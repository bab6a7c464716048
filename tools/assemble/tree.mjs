import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
  copyFileSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A directory tree that becomes an image. What is written twice the same way is the same, byte for byte. */
export class Tree {
  constructor(directory) {
    this.directory = directory;
  }

  /** Path on this machine. */
  at(path) {
    return join(this.directory, path);
  }

  write(path, content, mode = 0o644) {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
    chmodSync(this.at(path), mode);
  }

  /** Executable stays executable. */
  copy(source, path, mode = lstatSync(source).mode & 0o111 ? 0o755 : 0o644) {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    copyFileSync(source, this.at(path));
    chmodSync(this.at(path), mode);
  }

  link(path, target) {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    symlinkSync(target, this.at(path));
  }

  folder(path, mode = 0o755) {
    mkdirSync(this.at(path), { recursive: true });
    chmodSync(this.at(path), mode);
  }

  /** Gives everything one time and folders one mode; gives number of files, bytes, and a digest over all that counts. */
  finish(epochSeconds) {
    const hash = createHash('sha256');
    const sum = { files: 0, bytes: 0 };
    this.visit('', (path, stat) => {
      const full = this.at(path);
      const isOpen = (stat.mode & 0o1777) === 0o1777;
      if (stat.isDirectory() && !isOpen && (stat.mode & 0o7777) !== 0o755) chmodSync(full, 0o755);
      const mode = (lstatSync(full).mode & 0o7777).toString(8);
      hash.update(
        `${path}\0${stat.isSymbolicLink() ? `-> ${readlinkSync(full)}` : stat.isFile() ? `${mode} ${stat.size}` : mode}\0`,
      );
      if (stat.isFile()) {
        hash.update(readFileSync(full));
        sum.files += 1;
        sum.bytes += stat.size;
      }
      lutimesSync(full, epochSeconds, epochSeconds);
    });
    return { ...sum, digest: `sha256:${hash.digest('hex')}` };
  }

  /** Children first, in a fixed order: a folder's time is set once nothing in it changes any more. */
  visit(path, look) {
    const stat = lstatSync(this.at(path));
    if (stat.isDirectory()) for (const name of readdirSync(this.at(path)).sort()) this.visit(join(path, name), look);
    if (path !== '') look(path, stat);
  }
}
