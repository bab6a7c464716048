import { Command } from 'commander';
import { policyDocsCommand } from './policy-docs.command.js';
import { policyEvalCommand } from './policy-eval.command.js';
import { policyImpactCommand } from './policy-impact.command.js';
import { policyImportCommand } from './policy-import.command.js';
import { policyReportCommand } from './policy-report.command.js';
import { policyTestCommand } from './policy-test.command.js';
import { policyWaiverCommand } from './policy-waiver.command.js';

/** `crate policy`: what people who write rules need. */
export function policyCommand(): Command {
  return new Command('policy')
    .description('Write, test and explain policies, and have them waived')
    .addCommand(policyTestCommand())
    .addCommand(policyEvalCommand())
    .addCommand(policyImportCommand())
    .addCommand(policyImpactCommand())
    .addCommand(policyReportCommand())
    .addCommand(policyWaiverCommand())
    .addCommand(policyDocsCommand());
}
