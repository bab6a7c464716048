// Fetches Terraform, RKE and a mirror of Terraform providers for an architecture: fetch-programs.mjs --arch amd64 --out DIR
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readZipEntry } from '../../services/cli/dist/prerequisites/zip.js';
import { ownArchitecture } from './base-lock.mjs';
import { fetchArchive, readForeignLock } from './foreign.mjs';
import { mirrorProviders } from './providers.mjs';

async function terraformAt(path, program, arch) {
  const archive = await fetchArchive('terraform', program, arch);
  const [binary, licence] = ['terraform', 'LICENSE.txt'].map((entry) => readZipEntry(archive, entry));
  if (!binary || !licence) throw new Error('The archive of Terraform holds no terraform, or not its licence');
  writeFileSync(path, binary, { mode: 0o755 });
  writeFileSync(`${path}.LICENSE`, licence);
  return path;
}

/** One that runs here, into a folder that goes again. */
async function withOwnTerraform(program, use) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-terraform-'));
  try {
    use(await terraformAt(join(directory, 'terraform'), program, ownArchitecture()));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const { values } = parseArgs({ options: { arch: { type: 'string' }, out: { type: 'string' } } });
const { arch = ownArchitecture(), out } = values;
if (out === undefined) throw new Error('Usage: node tools/assemble/fetch-programs.mjs --arch amd64|arm64 --out DIR');
const lock = readForeignLock();
mkdirSync(join(out, 'providers'), { recursive: true });
const terraform = await terraformAt(join(out, 'terraform'), lock.programs.terraform, arch);
writeFileSync(join(out, 'rke'), await fetchArchive('rke', lock.programs.rke, arch), { mode: 0o755 });
const mirror = (ownTerraform) =>
  mirrorProviders({ out: join(out, 'providers'), providers: lock.providers, arch, terraform: ownTerraform });
if (arch === ownArchitecture()) mirror(terraform);
else await withOwnTerraform(lock.programs.terraform, mirror);
console.log(`Terraform, RKE and providers for ${arch} are in ${out}`);
