// Fetches Terraform, RKE and a mirror of Terraform providers for an architecture: fetch-programs.mjs --arch amd64 --out DIR
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readZipEntry } from '../../services/cli/dist/prerequisites/zip.js';
import { ownArchitecture } from './base-lock.mjs';
import { fetchArchive, readForeignLock } from './foreign.mjs';

async function terraformAt(path, program, arch) {
  const binary = readZipEntry(await fetchArchive('terraform', program, arch), 'terraform');
  if (!binary) throw new Error('The archive of Terraform holds no terraform');
  writeFileSync(path, binary, { mode: 0o755 });
  return path;
}

/** As `terraform providers mirror` lays it, which Terraform takes from where the image has it, without being told. */
async function mirrorProviders(out, { programs, providers }, arch, ownTerraform) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-providers-'));
  try {
    const required = Object.entries(providers).map(([source, { constraint, version }]) => {
      return [source.split('/')[1], { source, version: version ?? constraint }];
    });
    const document = { terraform: [{ required_providers: Object.fromEntries(required) }] };
    writeFileSync(join(directory, 'versions.tf.json'), JSON.stringify(document));
    const terraform =
      ownTerraform ?? (await terraformAt(join(directory, 'terraform'), programs.terraform, ownArchitecture()));
    execFileSync(terraform, ['providers', 'mirror', `-platform=linux_${arch}`, out], {
      cwd: directory,
      stdio: 'inherit',
    });
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
await mirrorProviders(join(out, 'providers'), lock, arch, arch === ownArchitecture() ? terraform : undefined);
console.log(`Terraform, RKE and providers for ${arch} are in ${out}`);
