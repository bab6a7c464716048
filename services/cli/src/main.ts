import { Command } from 'commander';
import { isPlatformError } from '@crate/errors';
import { auditCommand } from './commands/audit.command.js';
import { clusterCommand } from './commands/cluster.command.js';
import { downCommand } from './commands/down.command.js';
import { credentialCommand } from './commands/credential.command.js';
import { driftCommand } from './commands/drift.command.js';
import { keysCommand } from './commands/keys.command.js';
import { kubeconfigCommand } from './commands/kubeconfig.command.js';
import { loginCommand } from './commands/login.command.js';
import { logsCommand } from './commands/logs.command.js';
import { logoutCommand } from './commands/logout.command.js';
import { planCommand } from './commands/plan.command.js';
import { policyCommand } from './commands/policy.command.js';
import { recoveryCommand } from './commands/recovery.command.js';
import { sandboxCommand } from './commands/sandbox.command.js';
import { secretsCommand } from './commands/secrets.command.js';
import { stateCommand } from './commands/state.command.js';
import { statusCommand } from './commands/status.command.js';
import { sweepCommand } from './commands/sweep.command.js';
import { upCommand } from './commands/up.command.js';
import { whoamiCommand } from './commands/whoami.command.js';

const program = new Command('crate')
  .description('Kubernetes as a product, from one control plane, for many teams and many clouds')
  .showHelpAfterError('(add --help for the options)')
  .addCommand(upCommand())
  .addCommand(downCommand())
  .addCommand(statusCommand())
  .addCommand(kubeconfigCommand())
  .addCommand(logsCommand())
  .addCommand(planCommand())
  .addCommand(clusterCommand())
  .addCommand(policyCommand())
  .addCommand(driftCommand())
  .addCommand(stateCommand())
  .addCommand(sweepCommand())
  .addCommand(loginCommand())
  .addCommand(logoutCommand())
  .addCommand(whoamiCommand())
  .addCommand(keysCommand())
  .addCommand(secretsCommand())
  .addCommand(recoveryCommand())
  .addCommand(auditCommand())
  .addCommand(credentialCommand(), { hidden: true })
  .addCommand(sandboxCommand());

try {
  await program.parseAsync();
} catch (error) {
  if (!isPlatformError(error)) throw error;
  console.error(`crate: ${error.message}`);
  const { causes = [], remedy = causes.find(({ field }) => field === undefined)?.message } = error.details;
  // Over the API what to do comes as a cause; causes with a field are in the message already.
  if (remedy) console.error(remedy);
  process.exitCode = 1;
}
