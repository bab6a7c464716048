import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ROOT } from './checkout.js';

/** As a Terraform on a machine that trusts nobody by itself: fails unless it is told whom to trust. */
const TERRAFORM = `#!/bin/sh
grep -q 'BEGIN CERTIFICATE' "$SSL_CERT_FILE" || { echo 'x509: certificate signed by unknown authority' >&2; exit 1; }
for out; do :; done
cp versions.tf.json "$out/versions.json"
echo "$SSL_CERT_FILE" > "$out/trusted"
echo "$*" > "$out/arguments"
`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'crate-mirror-'));
  writeFileSync(join(directory, 'terraform'), TERRAFORM, { mode: 0o755 });
});
afterEach(() => rmSync(directory, { recursive: true }));

function mirror(env: Record<string, string> = {}): (name: string) => string {
  const options = {
    out: directory,
    terraform: join(directory, 'terraform'),
    arch: 'arm64',
    providers: { 'hashicorp/aws': { version: '1.2.3' } },
  };
  const program = `import { mirrorProviders } from '${join(resolve(ROOT), 'tools/assemble/providers.mjs')}';
    mirrorProviders(${JSON.stringify(options)});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: 'pipe',
  });
  return (name) => readFileSync(join(directory, name), 'utf8').trim();
}

/** A ZIP archive of one file that is stored as it is. */
function zipOf(name: string, content: string): Buffer {
  const [local, entry, end] = [Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(22)];
  local.writeUInt32LE(0x04034b50);
  local.writeUInt16LE(name.length, 26);
  entry.writeUInt32LE(0x02014b50);
  entry.writeUInt32LE(content.length, 20);
  entry.writeUInt16LE(name.length, 28);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + name.length + content.length, 16);
  return Buffer.concat([local, Buffer.from(name + content), entry, Buffer.from(name), end]);
}

describe('the mirror of providers', () => {
  it('is told with versions, digests and licences, for the bill of materials', () => {
    const source = 'registry.terraform.io/hashicorp/aws';
    const bytes = zipOf('LICENSE.txt', 'Mozilla Public License');
    mkdirSync(join(directory, 'mirror', source), { recursive: true });
    writeFileSync(join(directory, 'mirror', source, 'index.json'), '{}');
    writeFileSync(join(directory, 'mirror', source, 'terraform-provider-aws_6.66.0_linux_amd64.zip'), bytes);
    const program = `import { providersIn } from '${join(resolve(ROOT), 'tools/assemble/providers.mjs')}';
      console.log(JSON.stringify(providersIn(${JSON.stringify(join(directory, 'mirror'))})));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual([
      {
        name: 'terraform-provider-aws',
        version: '6.66.0',
        source,
        licence: 'MPL-2.0',
        sha256: createHash('sha256').update(bytes).digest('hex'),
        text: 'Mozilla Public License',
      },
    ]);
  });

  it('makes the same bill each time with one version for two platforms and of two registries', () => {
    const mirrored = join(directory, 'mirror');
    for (const registry of ['registry.terraform.io', 'registry.opentofu.org']) {
      const folder = join(mirrored, registry, 'hashicorp/aws');
      mkdirSync(folder, { recursive: true });
      for (const platform of ['linux_amd64', 'linux_arm64'])
        writeFileSync(join(folder, `terraform-provider-aws_6.66.0_${platform}.zip`), zipOf('LICENSE.txt', platform));
    }
    const tools = join(resolve(ROOT), 'tools/assemble');
    const program = `import { billOfMaterials } from '${join(tools, 'bill.mjs')}';
      import { providersIn } from '${join(tools, 'providers.mjs')}';
      const programs = providersIn(${JSON.stringify(mirrored)});
      const of = { image: 'cloud-mgmt', version: '1.2.3', packages: [], systemPackages: [], programs, epochSeconds: 1 };
      console.log(JSON.stringify([billOfMaterials(of), billOfMaterials(of)]));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const [bill, again] = JSON.parse(said) as [string, string];
    const { components } = JSON.parse(bill) as { components: { 'bom-ref': string }[] };
    expect(new Set(components.map((component) => component['bom-ref'])).size).toBe(4);
    expect(again).toBe(bill);
  });

  it('is made on a machine without certificates, of the versions of the lock', () => {
    const made = mirror();
    expect(JSON.parse(made('versions.json'))).toEqual({
      terraform: [{ required_providers: { aws: { source: 'hashicorp/aws', version: '1.2.3' } } }],
    });
    expect(made('arguments')).toBe(`providers mirror -platform=linux_arm64 ${directory}`);
  });

  it('is fetched from whom the machine trusts where it says so', () => {
    const file = join(directory, 'own.pem');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    expect(mirror({ SSL_CERT_FILE: file })('trusted')).toBe(file);
  });
});
