import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Packs a tree as `file` (tar, and gzip where its name ends in `gz`), in whose place it comes when it is whole. Names are in order, owners and times are of nobody: what is
 * the same tree, as `Tree.finish` left it, is the same file, byte for byte, with the same Node. Gives its SHA-256.
 */
export async function archive(directory, file, epochSeconds) {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  const args = ['--format=gnu', '--sort=name', `--mtime=@${epochSeconds}`, '--owner=0', '--group=0', '--numeric-owner'];
  const tar = spawn('tar', [...args, '-cf', '-', '-C', directory, '.'], {
    env: { ...process.env, LC_ALL: 'C', TAR_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const packer = file.endsWith('gz') ? createGzip({ level: 6 }) : new PassThrough();
    const packed = pipeline(tar.stdout, packer, createWriteStream(draft));
    const [[code]] = await Promise.all([once(tar, 'close'), packed]);
    if (code !== 0) throw new Error(`tar ended with ${code}; GNU tar is needed`);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return digestOf(file);
}

async function digestOf(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
