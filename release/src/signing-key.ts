import { readFileSync } from 'node:fs';

const SEALED = /^-----BEGIN (ENCRYPTED [A-Z ]*PRIVATE KEY)-----/m;

/** The private key in a file, as PEM. Throws for one under a passphrase, as those of cosign are: OpenSSL, which signs here, would not say why it takes none. */
export function signingKey(file: string): string {
  const pem = readFileSync(file, 'utf8');
  const sealed = SEALED.exec(pem)?.[1];
  if (sealed === undefined) return pem;
  throw new Error(
    `${file} is an ${sealed}: expected a PRIVATE KEY without a passphrase, see "The key" in docs/release/releasing.md`,
  );
}
