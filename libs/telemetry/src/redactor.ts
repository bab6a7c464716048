/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Field names whose value is a secret wherever they occur, compared in lower case without `-` and `_`. */
const SECRET_KEYS = new Set([
  'accesskey',
  'accesstoken',
  'apikey',
  'authorization',
  'clientkey',
  'clientkeydata',
  'clientsecret',
  'cookie',
  'cratetoken',
  'credentials',
  'idtoken',
  'kubeconfig',
  'passphrase',
  'password',
  'privatekey',
  'refreshtoken',
  'secret',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'setcookie',
  'sshprivatekey',
  'token',
]);

/** Shapes that are secret whatever they are called: private keys, JSON web tokens, tokens of API keys, passwords inside URLs. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // Of a run of such characters the first "eyJ" decides for all, and is sought once: one search for each would take time by the square.
  [/(?<![\w-])(?=([\w-]*?)\beyJ)\1[\w-]{11,}\.[\w-]+\.[\w-]*/g, `$1${REDACTED}`],
  [/\bcrate_[0-9A-Za-z]{65}\b/g, REDACTED],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${REDACTED}@`],
];

/** Something of each of them: most text has none, and costs one look. */
const MAY_HAVE_SHAPE = /-----BEGIN|eyJ|crate_|:\/\//;

// Shorter values would also blank out ordinary text.
const MIN_SECRET_LENGTH = 6;
const MAX_DEPTH = 6;

/** Takes secrets out of text and of structured fields: by key name, by shape, and by registered value. */
export class Redactor {
  private readonly values = new Set<string>();
  /** Of all values; made when it is needed, as many may be registered one after the other. */
  private pattern: RegExp | undefined;

  /** Registers a secret value. Of a value of many lines each line counts too. */
  add(secret: string): void {
    for (const line of [secret, ...secret.split(/\r?\n/)]) {
      const part = line.trim();
      if (part.length >= MIN_SECRET_LENGTH && !part.startsWith('-----')) this.values.add(part);
    }
    this.pattern = undefined;
  }

  /** The text without any known secret. */
  redactText(text: string): string {
    const known = this.values.size > 0 ? text.replace((this.pattern ??= patternOf(this.values)), REDACTED) : text;
    if (!MAY_HAVE_SHAPE.test(known)) return known;
    return SECRET_SHAPES.reduce((result, [shape, replacement]) => result.replace(shape, replacement), known);
  }

  /** A copy without secrets, fit for JSON: bigints become strings, depth is bounded. */
  redact(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.redactText(value);
    if (typeof value === 'bigint') return value.toString();
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Date) return value.toISOString();
    if (depth >= MAX_DEPTH) return '[too deep]';
    if (Array.isArray(value)) return value.map((item) => this.redact(item, depth + 1));
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isSecretKey(key) ? REDACTED : this.redact(item, depth + 1)]),
    );
  }
}

function patternOf(values: ReadonlySet<string>): RegExp {
  // Longest first, so that a secret which contains another is taken out whole.
  const ordered = [...values].sort((a, b) => b.length - a.length);
  return new RegExp(ordered.map(escapeRegExp).join('|'), 'g');
}

/** True when a field of this name holds a secret. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key.toLowerCase().replace(/[-_]/g, ''));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
