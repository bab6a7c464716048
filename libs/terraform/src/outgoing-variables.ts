/** Where Go programs look for a proxy (net/http, ProxyFromEnvironment) and for authorities (crypto/x509); some are read in small letters, too. */
const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];
const NAMES = [...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** What of `environment` Terraform needs to get out of a network that lets nobody out otherwise. */
export function outgoingVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
