import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { EXIT_CODES } from '../exit-codes.js';
import { createProgram } from '../program.js';
import { outputOf } from '../testing/output-of.js';

async function docs(format: string): Promise<string> {
  return (await outputOf(createProgram(), ['docs', format])).stdout;
}

async function written(file: string): Promise<string> {
  return readFile(new URL(`../../../../docs/${file}`, import.meta.url), 'utf8');
}

describe('crate docs', () => {
  it('tells of each command, argument and option, once', async () => {
    const text = await docs('markdown');
    expect(text.match(/^### crate get$/gm)).toHaveLength(1);
    expect(text).toContain('#### crate clusters create\n');
    expect(text).toContain('| `--timeout <duration>` | how long, such as 30s, 10m or 1h; 0 looks once; default: 30s |');
    expect(text).toContain('Also: `cluster`.');
    for (const code of Object.values(EXIT_CODES)) expect(text).toContain(`\n| ${code} | `);
  });

  it('has no word of this machine, and of what is not for people', async () => {
    for (const text of [await docs('markdown'), await docs('man')]) {
      expect(text).not.toContain(process.cwd());
      expect(text).not.toMatch(/^(#+|\.SS) "?crate (docs|credential|__complete)/m);
    }
  });

  it('writes lines that roff takes for text', async () => {
    const lines = (await docs('man')).split('\n').filter((line) => line.startsWith('.'));
    const known = /^\.(\\"|TH|SH|SS|TP|PP|B|BR|RI)( |$)/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });

  it.each([
    ['markdown', 'cli.md'],
    ['man', 'man/crate.1'],
  ])('has written what is there, else: npm run crate -- docs %s -O docs/%s', async (format, file) => {
    expect((await written(file)) === (await docs(format))).toBe(true); // A difference of so many lines helps nobody.
  });
});
