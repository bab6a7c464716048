import { Command, InvalidArgumentError } from 'commander';
import { formatOption } from './format-option.js';
import { lazily } from './lazily.js';

/** `crate policy test`: rules against documents, without a platform. */
export function policyTestCommand(): Command {
  return new Command('test')
    .description(
      'Run examples of packs and PolicyTest documents against rules; fails when one does not come out as it says',
    )
    .argument('[paths...]', 'packs, Policy documents, tests, and directories of them', ['.'])
    .option('--min-coverage <percent>', 'fail when less of the rules was seen to pass and seen to fail', toPercent)
    .option('--junit <file>', 'write the results as JUnit XML')
    .addOption(formatOption('text'))
    .action(lazily(async () => (await import('../actions/policy-test.action.js')).runPolicyTest));
}

function toPercent(value: string): number {
  const percent = Number(value);
  if (value.trim() === '' || !(percent >= 0 && percent <= 100)) throw new InvalidArgumentError('want 0 to 100');
  return percent;
}
