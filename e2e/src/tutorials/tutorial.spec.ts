import { describe, expect, it } from '@jest/globals';
import { stepsOf } from './tutorial.js';

const page = (...blocks: string[]): string => `# Page\n\n${blocks.join('\n\nwords\n\n')}\n`;

describe('steps of a page', () => {
  it('are its commands, with what is said to be printed', () => {
    const given = page('```sh\na\n```', '```sh exit=4\nb\nc\n```', '```text\nno\n```', '```yaml\nx: y\n```');
    expect(stepsOf(given)).toEqual([
      { line: 4, commands: 'a\n', exitCode: 0, prints: undefined },
      { line: 10, commands: 'b\nc\n', exitCode: 4, prints: 'no\n' },
    ]);
  });

  it.each(['sh skip', 'bash', 'console', 'shell'])('are not hidden by %p', (info) => {
    expect(() => stepsOf(page(`\`\`\`${info}\na\n\`\`\``))).toThrow('line 4: a block of commands is "sh"');
  });
});
