const MASK = '[redacted]';
/** Shorter parts of a secret would mask half of an ordinary text. */
const SHORTEST_PART = 6;

/** Takes secrets out of text before anybody sees it. */
export interface Redactor {
  readonly redact: (text: string) => string;
  /** Length of the longest thing it looks for: text may not be cut closer than this before it was redacted. */
  readonly longest: number;
}

/**
 * Masks every secret in its plain, JSON-escaped, URL-encoded and base64 form, and each line of a secret of several lines.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set(secrets.filter((secret) => secret.length > 0).flatMap(formsOf));
  // The longest first, or a secret that contains another one would be masked in part.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return {
    longest: ordered[0]?.length ?? 0,
    redact: (text) => ordered.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, MASK) : rest), text),
  };
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= SHORTEST_PART);
  const encoded = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64(secret)];
  return [secret, ...lines, ...encoded.filter((form) => form.length >= SHORTEST_PART)];
}

function base64(secret: string): string {
  return Buffer.from(secret).toString('base64').replace(/=+$/, '');
}
