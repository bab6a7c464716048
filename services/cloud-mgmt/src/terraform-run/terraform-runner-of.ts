import { readEnvironment } from '@crate/config';
import { outgoingVariables, TerraformRunner, type TerraformBinary } from '@crate/terraform';
import type { CloudMgmtConfig } from '../config.js';

/** Of the settings, what each run of Terraform is carried out with. */
export type RunnerConfig = Pick<CloudMgmtConfig, 'workspacesDir' | 'path'> & {
  readonly terraform: Pick<CloudMgmtConfig['terraform'], 'graceMs'>;
};

/** The one way to a runner: whatever the service runs Terraform for has to get out of its network in the same way. */
export function terraformRunnerOf(
  { workspacesDir: directory, path, terraform: { graceMs } }: RunnerConfig,
  { binary }: { readonly binary: TerraformBinary },
  environment: Readonly<Record<string, string | undefined>> = readEnvironment(),
): TerraformRunner {
  return new TerraformRunner({ binary, directory, path, env: outgoingVariables(environment), graceMs });
}
