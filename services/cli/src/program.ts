import { Command } from 'commander';
import { apiResourcesCommand } from './commands/api-resources.command.js';
import { applyCommand, createCommand } from './commands/apply.command.js';
import { auditCommand } from './commands/audit.command.js';
import { bootstrapCommand } from './commands/bootstrap.command.js';
import { clustersCommand } from './commands/clusters.command.js';
import { componentsCommand } from './commands/components.command.js';
import { consoleCommand } from './commands/console.command.js';
import { completeCommand, completionCommand } from './commands/completion.command.js';
import { credentialCommand } from './commands/credential.command.js';
import { deleteCommand } from './commands/delete.command.js';
import { describeCommand } from './commands/describe.command.js';
import { diffCommand } from './commands/diff.command.js';
import { docsCommand } from './commands/docs.command.js';
import { doctorCommand } from './commands/doctor.command.js';
import { downCommand } from './commands/down.command.js';
import { driftCommand } from './commands/drift.command.js';
import { fleetCommand } from './commands/fleet.command.js';
import { getCommand } from './commands/get.command.js';
import { keysCommand } from './commands/keys.command.js';
import { kubeconfigCommand } from './commands/kubeconfig.command.js';
import { loginCommand } from './commands/login.command.js';
import { logsCommand } from './commands/logs.command.js';
import { logoutCommand } from './commands/logout.command.js';
import { notificationsCommand } from './commands/notifications.command.js';
import { pivotCommand } from './commands/pivot.command.js';
import { planCommand } from './commands/plan.command.js';
import { platformCommand } from './commands/platform.command.js';
import { policyCommand } from './commands/policy.command.js';
import { recoveryCommand } from './commands/recovery.command.js';
import { removeCommand } from './commands/remove.command.js';
import { sandboxCommand } from './commands/sandbox.command.js';
import { secretsCommand } from './commands/secrets.command.js';
import { stateCommand } from './commands/state.command.js';
import { statusCommand } from './commands/status.command.js';
import { sweepCommand } from './commands/sweep.command.js';
import { upCommand } from './commands/up.command.js';
import { versionCommand } from './commands/version.command.js';
import { waitCommand } from './commands/wait.command.js';
import { whoamiCommand } from './commands/whoami.command.js';
import { exampleLines, EXAMPLES } from './reference/examples.js';
import { usePlainHelp } from './reference/plain-help.js';
import { useNoColor } from './output/style.js';

/** The whole command line. Man page, documentation and completions are made from it, too. */
export function createProgram(name = 'crate'): Command {
  const program = new Command(name)
    .description('Kubernetes as a product, from one control plane, for many teams and many clouds')
    .option('--no-color', 'no colours; as the environment variable NO_COLOR')
    .hook('preAction', (program) => {
      if (program.opts<{ color: boolean }>().color === false) useNoColor();
    })
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(statusCommand())
    .addCommand(doctorCommand())
    .addCommand(fleetCommand())
    .addCommand(componentsCommand())
    .addCommand(platformCommand())
    .addCommand(getCommand())
    .addCommand(describeCommand())
    .addCommand(applyCommand())
    .addCommand(diffCommand())
    .addCommand(createCommand())
    .addCommand(deleteCommand())
    .addCommand(waitCommand())
    .addCommand(apiResourcesCommand())
    .addCommand(kubeconfigCommand())
    .addCommand(logsCommand())
    .addCommand(planCommand())
    .addCommand(clustersCommand())
    .addCommand(policyCommand())
    .addCommand(driftCommand())
    .addCommand(stateCommand())
    .addCommand(sweepCommand())
    .addCommand(consoleCommand())
    .addCommand(loginCommand())
    .addCommand(logoutCommand())
    .addCommand(whoamiCommand())
    .addCommand(keysCommand())
    .addCommand(notificationsCommand())
    .addCommand(secretsCommand())
    .addCommand(recoveryCommand())
    .addCommand(bootstrapCommand())
    .addCommand(removeCommand())
    .addCommand(pivotCommand())
    .addCommand(auditCommand())
    .addCommand(versionCommand())
    .addCommand(completionCommand())
    .addCommand(completeCommand(), { hidden: true })
    .addCommand(docsCommand(), { hidden: true })
    .addCommand(credentialCommand(), { hidden: true })
    .addCommand(sandboxCommand());
  showExamples(program);
  usePlainHelp(program);
  return program;
}

/** Behind the options, in the help of each command that has some. */
function showExamples(command: Command, path: readonly string[] = []): void {
  const examples = EXAMPLES[path.join(' ')];
  if (examples) command.addHelpText('after', `\nExamples:\n${indented(exampleLines(examples))}`);
  for (const each of command.commands) showExamples(each, [...path, each.name()]);
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}
