import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { readZipEntry } from '../../services/cli/dist/prerequisites/zip.js';

const ARCHIVE = /^(terraform-provider-[^_]+)_([^_]+)_[^_]+_[^_]+\.zip$/;
const LICENCES = { 'registry.terraform.io/hashicorp': 'MPL-2.0' };

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

/** The providers in a mirror, as a bill of materials lists them, with the text of their licence where their archive has it. */
export function providersIn(mirror) {
  const archives = readdirSync(mirror, { recursive: true }).filter((path) => ARCHIVE.test(basename(path)));
  return archives.sort().map((path) => {
    const [, name, version] = ARCHIVE.exec(basename(path));
    const bytes = readFileSync(join(mirror, path));
    const text = readZipEntry(bytes, 'LICENSE.txt');
    return {
      name,
      version,
      source: dirname(path),
      licence: LICENCES[dirname(dirname(path))],
      sha256: createHash('sha256').update(bytes).digest('hex'),
      ...(text && { text: Buffer.from(text).toString('utf8') }),
    };
  });
}

/** Whom Node trusts: it brings authorities along, Terraform takes the machine's, and the image that builds has none. */
function certificatesAt(path) {
  writeFileSync(path, rootCertificates.join('\n'));
  return path;
}
