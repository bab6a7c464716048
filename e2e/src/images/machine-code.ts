import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

const ELF = 0x7f454c46;
const MACHINE_AT = 18;
/** Machines by the number that executables and libraries say they are for. */
const ARCHITECTURES: Readonly<Record<number, string>> = { 62: 'amd64', 183: 'arm64' };
/** Packages that bring a library for each machine there is take their own. */
const OF_ANY = /\/prebuilds\//;

/** Executables and libraries below a directory, by what they run on. */
export async function machineCode(directory: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, string[]> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || OF_ANY.test(path)) continue;
    const architecture = await architectureOf(path);
    if (architecture !== undefined) (found[architecture] ??= []).push(relative(directory, path));
  }
  return found;
}

/** Undefined for what is no machine code. */
async function architectureOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MACHINE_AT + 2), 0);
    if (bytesRead < buffer.length || buffer.readUInt32BE(0) !== ELF) return undefined;
    const machine = buffer.readUInt16LE(MACHINE_AT);
    return ARCHITECTURES[machine] ?? `machine ${machine}`;
  } finally {
    await file.close();
  }
}
