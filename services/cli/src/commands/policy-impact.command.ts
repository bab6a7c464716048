import { Command } from 'commander';
import { formatOption } from './format-option.js';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate policy impact`: what a change of rules would do to what is there, before it is made. */
export function policyImpactCommand(): Command {
  const command = new Command('impact')
    .description(
      'Show what would be newly denied, warned of or allowed if rules were as in these files; changes nothing',
    )
    .option('-f, --filename <files...>', 'Policy documents or packs; each rule is tried alone', [])
    .option('--remove <names...>', 'rules that would be removed', [])
    .option('--fail-on-denied', 'fail when something that is there would be newly denied')
    .addOption(formatOption('text'));
  return withApiOptions(command).action(
    lazily(async () => (await import('../actions/policy-impact.action.js')).runPolicyImpact),
  );
}
