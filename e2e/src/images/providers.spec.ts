import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('the mirror of providers', () => {
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
