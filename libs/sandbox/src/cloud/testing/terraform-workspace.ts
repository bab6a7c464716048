import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '@crate/config';
import type { Adoption } from '@crate/infra-aws';
import type { Reattach } from '../provider-sessions.js';

/** A change that a plan holds. */
export interface PlannedResource {
  readonly address: string;
  readonly actions: readonly string[];
  readonly isImport: boolean;
}

/** How a run of Terraform ended. */
export interface RunResult {
  /** Undefined when it was killed. */
  readonly exitCode: number | undefined;
  readonly output: string;
}

interface PlanJson {
  readonly resource_changes?: readonly {
    readonly address: string;
    readonly change: { readonly actions: readonly string[]; readonly importing?: object };
  }[];
}

interface StateJson {
  readonly values?: {
    readonly root_module: {
      readonly resources: readonly { readonly address: string; readonly values: { id: string } }[];
    };
  };
}

/** Real Terraform in a directory of its own, for tests. */
export class TerraformWorkspace {
  private readonly running = new Set<ChildProcess>();

  private constructor(
    private readonly directory: string,
    private reattach: Reattach,
  ) {}

  static async open(reattach: Reattach): Promise<TerraformWorkspace> {
    const workspace = new TerraformWorkspace(await mkdtemp(join(tmpdir(), 'terraform-')), reattach);
    return workspace;
  }

  /** Goes on with another provider. */
  attach(reattach: Reattach): void {
    this.reattach = reattach;
  }

  async write(document: object, adoptions: readonly Adoption[] = []): Promise<void> {
    const text = JSON.stringify({ ...document, ...(adoptions.length > 0 ? { import: adoptions } : {}) });
    // No `init`: the provider is attached, so nothing is to be installed.
    await writeFile(join(this.directory, 'main.tf.json'), text);
  }

  /** Plans, and says what would change; what stays as it is is left out. */
  async plan(): Promise<PlannedResource[]> {
    await this.must('plan', '-input=false', '-out=plan');
    const plan = JSON.parse((await this.must('show', '-json', 'plan')).output) as PlanJson;
    return (plan.resource_changes ?? [])
      .map(({ address, change }) => ({ address, actions: change.actions, isImport: change.importing !== undefined }))
      .filter(({ actions, isImport, address }) => isImport || !(isNothing(actions) || address.startsWith('data.')));
  }

  /** Applies the last plan. */
  async apply(): Promise<RunResult> {
    return this.run('apply', '-input=false', 'plan');
  }

  async destroy(): Promise<RunResult> {
    return this.run('destroy', '-input=false', '-auto-approve');
  }

  async outputs(): Promise<unknown> {
    return JSON.parse((await this.must('output', '-json')).output);
  }

  /** Ids of the state's resources by their address. */
  async managed(): Promise<Map<string, string>> {
    const { values } = JSON.parse((await this.must('show', '-json')).output) as StateJson;
    const resources = (values?.root_module.resources ?? []).filter(({ address }) => !address.startsWith('data.'));
    return new Map(resources.map(({ address, values: { id } }) => [address, id]));
  }

  /** Ends whatever runs at once, as a crash of the machine would. */
  kill(): void {
    for (const child of this.running) child.kill('SIGKILL');
  }

  /** Forgets a state that `kill` has cut off in the middle, as Terraform writes it in place: it can be read by nobody. */
  async forgetTornState(): Promise<void> {
    const file = join(this.directory, 'terraform.tfstate');
    if (!isJson(await readFile(file, 'utf8'))) await rm(file);
  }

  /** Asks whatever runs to stop, as Ctrl-C does. */
  interrupt(): void {
    for (const child of this.running) child.kill('SIGINT');
  }

  async close(): Promise<void> {
    this.kill();
    await rm(this.directory, { recursive: true });
  }

  async run(...args: string[]): Promise<RunResult> {
    const child = spawn('terraform', args, { cwd: this.directory, env: this.environment() });
    this.running.add(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exitCode = await new Promise<number | undefined>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? undefined));
    });
    this.running.delete(child);
    return { exitCode, output };
  }

  /** Throws with Terraform's own words when it fails. */
  private async must(...args: string[]): Promise<RunResult> {
    const result = await this.run(...args);
    if (result.exitCode !== 0) throw new Error(`terraform ${args.join(' ')} failed: ${result.output}`);
    return result;
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      PATH: readEnvironment()['PATH'],
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
      TF_CLI_ARGS: '-no-color',
      TF_REATTACH_PROVIDERS: JSON.stringify(this.reattach),
      // A quarter less of a processor for each command.
      GOGC: '400',
    };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isNothing(actions: readonly string[]): boolean {
  return actions.every((action) => action === 'no-op');
}
