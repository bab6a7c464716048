import { describe, expect, it } from '@jest/globals';
import MarkdownIt from 'markdown-it';
import { asOnGitHosts, outsideOf } from './markdown.js';

function render(text: string, sourceUrl?: string): string {
  const markdown = new MarkdownIt({ html: true });
  asOnGitHosts(markdown, sourceUrl);
  return markdown.render(text, { relativePath: 'tutorials/one.md' }).trim();
}

describe('pages as on git hosts', () => {
  it.each([
    { name: 'names in angle brackets', given: 'see <cluster>.<pool>', want: '<p>see &lt;cluster&gt;.&lt;pool&gt;</p>' },
    { name: 'double braces', given: 'a {{ b }}', want: '<p>a &#123;&#123; b }}</p>' },
    { name: 'double braces in code', given: '`{{`', want: '<p><code>&#123;&#123;</code></p>' },
    { name: 'breaks', given: 'a<br>b', want: '<p>a<br>b</p>' },
    { name: 'scripts', given: '<script>x</script>', want: '&lt;script&gt;x&lt;/script&gt;' },
    { name: 'ampersands', given: 'a & b', want: '<p>a &amp; b</p>' },
  ])('shows $name', ({ given, want }) => {
    expect(render(given)).toBe(want);
  });

  it('leads to files outside of docs/ on the git host, or says which they are', () => {
    const link = '[security](../../SECURITY.md#how)';
    expect(render(link, 'https://git.invalid/crate/blob/main')).toBe(
      '<p><a href="https://git.invalid/crate/blob/main/SECURITY.md">security</a></p>',
    );
    expect(render(link)).toBe('<p><a title="SECURITY.md of the repository">security</a></p>');
  });

  it.each([
    { given: '../adr/README.md', want: '../adr/' },
    { given: '../adr/README.md#x', want: '../adr/#x' },
    { given: 'README.md', want: './' },
    { given: 'https://x.invalid/README.md', want: 'https://x.invalid/README.md' },
    { given: 'MY-README.md', want: 'MY-README.md' },
  ])('leads from $given to $want', ({ given, want }) => {
    expect(render(`[x](${given})`)).toBe(`<p><a href="${want}">x</a></p>`);
  });

  it('knows what lies outside', () => {
    expect(outsideOf('tutorials/one.md', '../concepts.md')).toBeUndefined();
    expect(outsideOf('one.md', '../examples/quickstart.yaml')).toBe('examples/quickstart.yaml');
    expect(outsideOf('one.md', 'https://x.invalid/../y')).toBeUndefined();
  });
});
