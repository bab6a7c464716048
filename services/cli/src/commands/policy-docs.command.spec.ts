import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { shippedPacksDir } from '../config.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf } from '../testing/output-of.js';
import { policyDocsCommand } from './policy-docs.command.js';

const PACK = `
pack: own
version: 1.2.0
description: "Ours | all"
policies:
  - name: enough
    spec:
      title: There are enough
      description: "Because\\n  few are not."
      level: must
      match: { stages: [ClusterSpec], projects: [prod-*] }
      params: { least: 3 }
      validations: [{ expression: object.spec.replicas >= params.least, field: spec.replicas }]
      remedy: Ask for more
      references: [CIS 1.2, NIST CM-2]
      enforcement: warn
    examples: { pass: [{}, {}], fail: [{}] }
`;

describe('crate policy docs', () => {
  it('tells of each rule what a person has to know', async () => {
    const { path, remove } = await directoryWith({ 'own.yaml': PACK });
    const { stdout } = await outputOf(policyDocsCommand(), ['--packs', path]);
    await remove();
    expect(stdout).toContain('| [own](#own) | 1.2.0 | 1 | 1 | 0 | 0 | Ours \\| all |');
    expect(stdout).toContain('| [`enough`](#enough) | must | medium | ClusterSpec | There are enough |');
    const rule = stdout.slice(stdout.indexOf('### enough'));
    expect(rule).toBe(
      [
        '### enough',
        '',
        '**There are enough**',
        '',
        'Because few are not.',
        '',
        '- Level: `must`, severity `medium`, enforcement `warn`',
        '- Judges: ClusterSpec; projects `prod-*`',
        '- Fields: `spec.replicas`',
        '- Remedy: Ask for more',
        '- References: CIS 1.2; NIST CM-2',
        '- Examples: 2 pass, 1 fail',
        '',
        '| param | value |',
        '|---|---|',
        '| `least` | `3` |',
        '',
      ].join('\n'),
    );
  });

  it('writes the same of the packs that ship each time, every rule once, and no path of this machine', async () => {
    const { path, remove } = await directoryWith({});
    const [one, two] = [join(path, 'one.md'), join(path, 'two.md')];
    await outputOf(policyDocsCommand(), ['--out', one]);
    await outputOf(policyDocsCommand(), ['--out', two]);
    const text = await readFile(one, 'utf8');
    expect(await readFile(two, 'utf8')).toBe(text);
    await remove();
    const headings = text.split('\n').filter((line) => line.startsWith('### '));
    expect(headings.length).toBeGreaterThan(100);
    expect(new Set(headings).size).toBe(headings.length);
    expect(text).toContain(`The ${headings.length} rules that ship`);
    expect(text).not.toContain(shippedPacksDir());
  });

  it('refuses a directory without packs', async () => {
    await expect(outputOf(policyDocsCommand(), ['--packs', 'nowhere'])).rejects.toThrow(/Cannot read nowhere/);
  });

  it('has written the reference in docs, which is that of the packs as they are', async () => {
    const { stdout } = await outputOf(policyDocsCommand(), []);
    const written = await readFile(new URL('../../../../docs/policy-packs.md', import.meta.url), 'utf8');
    expect(written === stdout).toBe(true); // A difference of 200 kB helps nobody: npm run crate -- policy docs -O docs/policy-packs.md
  });
});
