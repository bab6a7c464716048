import { FAILURE_RULES, type FailureRule, type TerraformFailureCode } from './failure-rules.js';
import type { TerraformDiagnostic } from './terraform-event.js';

/** A failed run, told for the person who asked. */
export interface TerraformFailure {
  readonly code: TerraformFailureCode;
  /** One line. */
  readonly message: string;
  /** Terraform address of the resource, such as `aws_instance.demo-workers-0`. */
  readonly address: string | undefined;
  /** The provider's own error code, such as `VcpuLimitExceeded`. */
  readonly providerCode: string | undefined;
  readonly remedy: string;
  readonly retryable: boolean;
  /** No sooner than that; absent: whoever tries decides. */
  readonly retryAfterMs?: number;
}

const UNKNOWN: FailureRule = {
  code: 'TerraformFailed',
  retryable: true,
  remedy: 'Read the log of the run',
};

/**
 * The AWS SDK v2 (`…, RequestID: …, api error Code: message`, for some services without "api error"), the older SDK (`Code: message`, `status
 * code:` on a later line), and why AWS took back a machine that it had begun to start (`last error: Client.Code: message`).
 */
const PROVIDER_ERROR = [
  /RequestID: [^,\n]*, (?:api error )?([A-Za-z][\w.]*): ([^\n]*)/,
  /api error ([A-Za-z][\w.]*): ([^\n]*)/,
  /(?:^|: |\n)([A-Z][A-Za-z]+(?:\.[A-Za-z]+)*): ([^\n]*)(?=\n\s*status code:)/,
  /last error: (?:Client|Server)\.([\w.]+): ([^\n]*)/,
];
const LONGEST_MESSAGE = 300;

/** Finds the cause that matters most among the error diagnostics of a run. Pure. */
export function classifyFailure(diagnostics: readonly TerraformDiagnostic[]): TerraformFailure {
  const causes = diagnostics.filter(({ severity }) => severity === 'error').map(classifyOne);
  causes.sort((a, b) => a.rank - b.rank);
  const [first] = causes;
  if (!first)
    return { ...UNKNOWN, message: 'Terraform failed without saying why', address: undefined, providerCode: undefined };
  return first.failure;
}

function classifyOne(diagnostic: TerraformDiagnostic): { rank: number; failure: TerraformFailure } {
  const text = `${diagnostic.summary}\n${diagnostic.detail}`;
  // Commands without `-json` break their lines anywhere.
  const line = text.replaceAll(/\s+/g, ' ');
  const { providerCode, providerMessage } = readProviderError(text) ?? readProviderError(line) ?? {};
  const found = FAILURE_RULES.findIndex((rule) => matches(rule, line, providerCode));
  const { code, remedy, retryable, retryAfterMs } = FAILURE_RULES[found] ?? UNKNOWN;
  const message = toOneLine(providerMessage ?? (diagnostic.detail || diagnostic.summary));
  return {
    rank: found < 0 ? FAILURE_RULES.length : found,
    failure: {
      ...{ code, message, address: diagnostic.address, providerCode, remedy, retryable },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  };
}

function matches(rule: FailureRule, text: string, providerCode: string | undefined): boolean {
  // What the provider's API answered is exact; words in the text count only where there is no such answer.
  if (providerCode !== undefined) {
    return (rule.providerCode?.test(providerCode) ?? false) && (rule.providerMessage?.test(text) ?? true);
  }
  return rule.text?.test(text) ?? false;
}

function readProviderError(text: string): { providerCode: string; providerMessage: string } | undefined {
  for (const pattern of PROVIDER_ERROR) {
    const [, providerCode, message] = pattern.exec(text) ?? [];
    if (providerCode !== undefined) return { providerCode, providerMessage: `${providerCode}: ${message ?? ''}` };
  }
  return undefined;
}

function toOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}
