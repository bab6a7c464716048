import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';

/**
 * Mirrors providers for an architecture into `out`, with a Terraform that runs here, as `terraform providers mirror` lays it: Terraform
 * takes them from where the image has it, without being told. `providers`: versions by their source, as foreign.lock.json has it.
 */
export function mirrorProviders({ out, providers, arch, terraform }) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-providers-'));
  try {
    const required = Object.entries(providers).map(([source, { version }]) => {
      return [source.split('/')[1], { source, version }];
    });
    const document = { terraform: [{ required_providers: Object.fromEntries(required) }] };
    writeFileSync(join(directory, 'versions.tf.json'), JSON.stringify(document));
    execFileSync(terraform, ['providers', 'mirror', `-platform=linux_${arch}`, out], {
      cwd: directory,
      env: { SSL_CERT_FILE: certificatesAt(join(directory, 'trusted.pem')), ...process.env },
      stdio: 'inherit',
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Whom Node trusts: it brings authorities along, Terraform takes the machine's, and the image that builds has none. */
function certificatesAt(path) {
  writeFileSync(path, rootCertificates.join('\n'));
  return path;
}
