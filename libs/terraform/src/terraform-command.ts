import { invariant } from '@crate/errors';
import { runProcess, type ProcessIdentity, type ProcessResult } from '@crate/process';
import { currentSpan, withSpan, type SpanOptions } from '@crate/telemetry';
import { classifyFailure } from './classify-failure.js';
import { KILLED_REMEDY } from './failure-rules.js';
import type { TerraformBinary } from './terraform-binary.js';
import { ResourceSpans } from './resource-spans.js';
import { TerraformError } from './terraform-error.js';
import { parseTerraformLine, type TerraformDiagnostic, type TerraformEvent } from './terraform-event.js';

/** A plan as JSON is one line of several megabytes. */
const LONGEST_JSON_LINE = 256 * 1024 * 1024;

/** What every command of one run is given. */
export interface TerraformRunOptions {
  /** Added to the environment, such as the provider's credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** Texts that no event, log line or error may show. */
  readonly redact: readonly string[];
  /** Asks a running command to stop; Terraform then finishes what is in flight and saves the state. */
  readonly signal?: AbortSignal;
  /** Awaited before each command begins; store it, so that a successor can prove the command dead. */
  readonly onStart?: (identity: ProcessIdentity) => Promise<void> | void;
  readonly onEvent?: (event: TerraformEvent) => void;
  /** A line for the log of the run, redacted. */
  readonly onLog?: (line: string) => void;
}

export interface CommandSettings {
  readonly binary: TerraformBinary;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** From asking Terraform to stop until it is killed. */
  readonly graceMs: number;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: readonly string[];
}

/**
 * Runs one command. Throws a TerraformError for an exit code not in `accept`, told by its diagnostics, and when it was interrupted.
 */
export async function runTerraform(
  settings: CommandSettings,
  args: readonly string[],
  run: TerraformRunOptions,
  accept: readonly number[] = [0],
): Promise<CommandResult> {
  return withSpan(...spanOf(args), async (span) => {
    const resources = new ResourceSpans(span);
    const onEvent = (event: TerraformEvent): void => {
      resources.observe(event);
      run.onEvent?.(event);
    };
    try {
      return await execute(settings, args, { ...run, onEvent }, accept);
    } finally {
      resources.close();
    }
  });
}

async function execute(
  settings: CommandSettings,
  args: readonly string[],
  run: TerraformRunOptions,
  accept: readonly number[],
): Promise<CommandResult> {
  const diagnostics: TerraformDiagnostic[] = [];
  const plain: string[] = [];
  const result = await runProcess({
    command: settings.binary.path,
    args,
    cwd: settings.directory,
    env: { ...settings.env, ...run.env },
    redact: run.redact,
    graceMs: settings.graceMs,
    ...(run.signal ? { signal: run.signal } : {}),
    ...(run.onStart ? { onStart: run.onStart } : {}),
    onLine: (_, line) => {
      const { event, message } = parseTerraformLine(line);
      if (event.type === 'diagnostic') diagnostics.push(event.diagnostic);
      if (event.type === 'log') plain.push(message);
      run.onEvent?.(event);
      if (message.trim().length > 0) run.onLog?.(message);
    },
  });
  currentSpan().set({ 'process.exit.code': result.exitCode });
  if (result.exitCode !== undefined && accept.includes(result.exitCode))
    return { exitCode: result.exitCode, stdout: plain };
  throwIfEnded(result);
  throw new TerraformError(classifyFailure(diagnostics.length > 0 ? diagnostics : [diagnosticOf(plain)]));
}

/** Runs a command whose standard output is one JSON document; nothing of it reaches the log. */
export async function runTerraformForJson(
  settings: CommandSettings,
  args: readonly string[],
  run: TerraformRunOptions,
): Promise<Record<string, unknown>> {
  return withSpan(...spanOf(args), () => executeForJson(settings, args, run));
}

async function executeForJson(
  settings: CommandSettings,
  args: readonly string[],
  run: TerraformRunOptions,
): Promise<Record<string, unknown>> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const result = await runProcess({
    command: settings.binary.path,
    args,
    cwd: settings.directory,
    env: { ...settings.env, ...run.env },
    graceMs: settings.graceMs,
    maxLineLength: LONGEST_JSON_LINE,
    redact: run.redact,
    ...(run.signal ? { signal: run.signal } : {}),
    ...(run.onStart ? { onStart: run.onStart } : {}),
    onLine: (stream, line) => (stream === 'stdout' ? stdout : stderr).push(line),
  });
  throwIfEnded(result);
  if (result.exitCode !== 0) throw new TerraformError(classifyFailure([diagnosticOf(stderr)]));
  try {
    return JSON.parse(stdout.join('\n')) as Record<string, unknown>;
  } catch (error) {
    throw invariant('Terraform printed no JSON document', error);
  }
}

/** A command is named as people write it: `terraform apply`. */
function spanOf([command = '']: readonly string[]): [string, SpanOptions] {
  return [`terraform ${command}`, { attributes: { 'process.executable.name': 'terraform' } }];
}

/** Commands without `-json`, and failures before it takes effect, print text in a box. */
function diagnosticOf(lines: readonly string[]): TerraformDiagnostic {
  const text = lines.map((line) => line.replace(/^[│╷╵\s]+/, '')).filter((line) => line.length > 0);
  const first = Math.max(
    0,
    text.findIndex((line) => line.startsWith('Error:')),
  );
  const [summary = '', ...detail] = text.slice(first);
  return { severity: 'error', summary: summary.replace(/^Error: /, ''), detail: detail.join('\n') };
}

/** Only who was asked to stop by us was interrupted: a signal of somebody else's, such as that for want of memory, is a failure. */
function throwIfEnded({ stoppedBy, exitCode, signal }: ProcessResult): void {
  const rest = { address: undefined, providerCode: undefined, retryable: true };
  if (stoppedBy !== undefined) {
    const message = signal === undefined ? 'Terraform was asked to stop' : `Terraform was ended by ${signal}`;
    throw new TerraformError({
      ...rest,
      code: 'Interrupted',
      message,
      remedy: 'Nothing to do: the run is taken up again',
    });
  }
  if (exitCode !== undefined) return;
  const message = `Terraform was ended by ${signal ?? 'a signal'}`;
  throw new TerraformError({ ...rest, code: 'TerraformKilled', message, remedy: KILLED_REMEDY });
}
