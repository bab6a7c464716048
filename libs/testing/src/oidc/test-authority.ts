import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Files of a certificate and its key, PEM. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** A certificate authority of a test, made with openssl; its files lie in a directory of the caller. */
export class TestAuthority {
  private constructor(
    private readonly directory: string,
    /** PEM. */
    readonly certificate: string,
    readonly certificateFile: string,
  ) {}

  static async create(directory: string, commonName = 'test authority'): Promise<TestAuthority> {
    const certificateFile = join(directory, 'ca.crt');
    const files = ['-keyout', join(directory, 'ca.key'), '-out', certificateFile];
    await run('openssl', ['req', '-x509', ...KEY, '-days', '2', '-subj', `/CN=${commonName}`, ...files]);
    return new TestAuthority(directory, await readFile(certificateFile, 'utf8'), certificateFile);
  }

  /** A server certificate for 127.0.0.1 and localhost, in files named after `name`. */
  async issue(name: string, days = 2): Promise<CertificateFiles> {
    const at = (end: string): string => join(this.directory, `${name}.${end}`);
    await run('openssl', ['req', ...KEY, '-subj', `/CN=${name}`, '-keyout', at('key'), '-out', at('csr')]);
    await writeFile(at('ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    const signer = ['-CA', this.certificateFile, '-CAkey', join(this.directory, 'ca.key'), '-CAcreateserial'];
    const output = ['-days', String(days), '-extfile', at('ext'), '-out', at('crt')];
    await run('openssl', ['x509', '-req', '-in', at('csr'), ...signer, ...output]);
    return { certificateFile: at('crt'), keyFile: at('key') };
  }
}
