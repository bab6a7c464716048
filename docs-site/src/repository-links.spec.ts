import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { brokenLinks } from './repository-links.js';
import { markdownFiles, ROOT } from './testing/repository.js';

const made = mkdtempSync(join(tmpdir(), 'crate-links-'));
afterAll(() => rmSync(made, { recursive: true }));

describe('links between files', () => {
  it('lead somewhere, on every page of the repository', () => {
    const files = markdownFiles();
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/concepts.md']));
    expect(brokenLinks(ROOT, files)).toEqual([]);
  });

  it('are told with file, line and what is wrong', () => {
    mkdirSync(join(made, 'docs'));
    writeFileSync(join(made, 'top.md'), '# Top\n\n## Two `words`, twice\n\n## Two words twice\n');
    const links = [
      '[fine](../top.md#two-words-twice), [again](../top.md#two-words-twice-1), [here](#page), [out](https://x.invalid/#a)',
      '[gone](nowhere.md)',
      '![picture](../p.png) [heading](../top.md#three)',
      '[up](../../etc/passwd)',
    ];
    writeFileSync(join(made, 'docs', 'page.md'), `# Page\n\n${links.join('\n\n')}\n\n    [code](no.md)\n`);
    expect(brokenLinks(made, ['docs/page.md', 'top.md'])).toEqual([
      'docs/page.md:5: nowhere.md: no such file',
      'docs/page.md:7: ../p.png: no such file',
      'docs/page.md:7: ../top.md#three: no such heading',
      'docs/page.md:9: ../../etc/passwd: leads out of the repository',
    ]);
  });
});
