import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { invalidSpec } from '@crate/errors';
import type { TlsFiles } from '@crate/resource-server';
import type { Logger } from '@crate/telemetry';

/** Reading two small files costs less than being wrong about what a file system reports. */
const LOOK_EVERY_MS = 2_000;

export interface CertificateFilesOptions {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly logger: Logger;
  /** Default: 2,000. */
  readonly lookEveryMs?: number;
}

interface Pair extends TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * A certificate and its key, in files that somebody replaces: in place, by a rename, or by turning a symbolic link, as Kubernetes
 * mounts them. Files are read, not watched, because links are turned behind the back of watchers.
 */
export class CertificateFiles {
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  /** What was wrong at the last look, and how often in a row. */
  private problem: { readonly text: string; readonly times: number } | undefined;

  private constructor(
    private readonly options: CertificateFilesOptions,
    private inUse: Pair,
  ) {}

  /** Throws InvalidSpec when the files are missing, malformed or no pair. One that has expired is taken, with a warning. */
  static async open(options: CertificateFilesOptions): Promise<CertificateFiles> {
    const pair = await readPair(options);
    const problem = flawOf(pair);
    if (problem !== undefined) throw invalidSpec(`${options.certificateFile} cannot be used: ${problem}`, []);
    if (hasExpired(pair)) options.logger.warn('Serving with a certificate that has expired', described(pair));
    return new CertificateFiles(options, pair);
  }

  get current(): TlsFiles {
    return this.inUse;
  }

  /** When the certificate in use ends. */
  get validTo(): Date {
    return new Date(new X509Certificate(this.inUse.cert).validTo);
  }

  /** Calls with every new pair that is good. */
  follow(onRenewed: (files: TlsFiles) => void): void {
    const { lookEveryMs = LOOK_EVERY_MS } = this.options;
    this.timer = setInterval(() => void this.lookAlone(onRenewed), lookEveryMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** A look that another one overtook would take the old pair that it has read for a new one. */
  private async lookAlone(onRenewed: (files: TlsFiles) => void): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.look(onRenewed);
    } finally {
      this.isLooking = false;
    }
  }

  private async look(onRenewed: (files: TlsFiles) => void): Promise<void> {
    try {
      const pair = await readPair(this.options);
      if (isSame(pair, this.inUse)) {
        this.problem = undefined;
        return;
      }
      const problem = flawOf(pair) ?? (hasExpired(pair) ? 'it has expired' : undefined);
      if (problem !== undefined) return this.refuse(problem);
      onRenewed(pair);
      this.inUse = pair;
      this.problem = undefined;
      this.options.logger.info('Serving with a new certificate', described(pair));
    } catch (error) {
      this.refuse((error as Error).message);
    }
  }

  /** Said at the second look: the first may fall between the two files being replaced. */
  private refuse(text: string): void {
    const times = this.problem?.text === text ? this.problem.times + 1 : 1;
    this.problem = { text, times };
    if (times !== 2) return;
    const { certificateFile, logger } = this.options;
    logger.error('Refusing a new certificate, and keeping the one in use', { certificateFile, problem: text });
  }
}

async function readPair({ certificateFile, keyFile }: CertificateFilesOptions): Promise<Pair> {
  const [cert, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}

function isSame(left: Pair, right: Pair): boolean {
  return left.cert === right.cert && left.key === right.key;
}

/** What a server could not work with. Messages of the parsers are left out: they may quote a key. */
function flawOf({ cert, key }: Pair): string | undefined {
  const certificate = attempt(() => new X509Certificate(cert));
  if (!certificate) return 'the certificate file holds no PEM certificate';
  const privateKey = attempt(() => createPrivateKey(key));
  if (!privateKey) return 'the key file holds no PEM private key';
  if (!certificate.checkPrivateKey(privateKey)) return 'the key does not belong to the certificate';
  return attempt(() => createSecureContext({ cert, key })) ? undefined : 'TLS does not take the pair';
}

function hasExpired({ cert }: Pair): boolean {
  return Date.parse(new X509Certificate(cert).validTo) <= Date.now();
}

function described({ cert }: Pair): { subject: string; validTo: string; fingerprint: string } {
  const { subject, validTo, fingerprint256: fingerprint } = new X509Certificate(cert);
  return { subject, validTo, fingerprint };
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
