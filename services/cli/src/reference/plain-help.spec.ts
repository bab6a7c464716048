import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { usePlainHelp } from './plain-help.js';

describe('help', () => {
  it('has no defaults that say nothing, and all others', () => {
    const below = new Command('create').option('--pool <name>', 'may be repeated', (text: string) => [text], []);
    below.option('--timeout <duration>', 'how long', '1h');
    const program = new Command('crate').addCommand(below);
    usePlainHelp(program);
    expect(below.helpInformation()).toMatch(
      /--pool <name> +may be repeated\n +--timeout <duration> +how long \(default: "1h"\)\n/,
    );
  });
});
