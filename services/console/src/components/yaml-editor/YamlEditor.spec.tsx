import { undo } from '@codemirror/commands';
import { EditorView } from '@codemirror/view';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, cleanup, render, screen } from '@testing-library/react';
import { axeFindings } from '../../testing/axe.js';
import { YamlDiff } from './YamlDiff.js';
import { YamlEditor } from './YamlEditor.js';

/** The editor's text box, which has a root of its own. */
async function editorOf(container: HTMLElement): Promise<HTMLElement> {
  await screen.findByText(/Escape and then Tab/);
  const host = [...container.querySelectorAll('div')].find((each) => each.shadowRoot);
  return host?.shadowRoot?.querySelector('[role=textbox]') as HTMLElement;
}

describe('YamlEditor', () => {
  afterEach(() => cleanup());

  it('shows the text under a name, and what the server said of a line', async () => {
    const { container } = render(
      <YamlEditor
        value={'spec:\n  region: mars'}
        ariaLabel="Cluster as YAML"
        diagnostics={[{ field: 'spec.region', message: 'no such region' }]}
      />,
    );
    const editor = await editorOf(container);
    expect(editor.getAttribute('aria-label')).toBe('Cluster as YAML');
    expect(editor.textContent).toContain('region: mars');
    expect(await screen.findByText(/no such region/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Line 2' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('takes a new text from the page without telling it', async () => {
    const onChange = jest.fn();
    const { container, rerender } = render(<YamlEditor value="a: 1" ariaLabel="Y" onChange={onChange} />);
    const editor = await editorOf(container);
    rerender(<YamlEditor value="a: 2" ariaLabel="Y" onChange={onChange} />);
    expect(editor.textContent).toContain('a: 2');
    expect(onChange).not.toHaveBeenCalled();
  });

  it('undoes what was typed, and neither its first text nor one that came in its place', async () => {
    const { container, rerender } = render(<YamlEditor value="a: 1" ariaLabel="Y" />);
    const view = EditorView.findFromDOM(await editorOf(container)) as EditorView;
    const undone = (): string => {
      act(() => void undo(view));
      return view.state.doc.toString();
    };
    expect(undone()).toBe('a: 1');
    act(() => view.dispatch({ changes: { from: 4, insert: '2' } }));
    expect(undone()).toBe('a: 1');
    act(() => view.dispatch({ changes: { from: 4, insert: '3' } }));
    rerender(<YamlEditor value="b: 1" ariaLabel="Y" />);
    expect(undone()).toBe('b: 1');
  });

  it('keeps its styles out of the document, where the policy of the page refuses them', async () => {
    const { container } = render(<YamlEditor value="a: 1" ariaLabel="Y" />);
    await editorOf(container);
    expect(document.querySelectorAll('style')).toHaveLength(0);
  });
});

describe('YamlDiff', () => {
  afterEach(() => cleanup());

  it('says so when nothing would change', async () => {
    render(<YamlDiff before="a: 1" after="a: 1" ariaLabel="Cluster" layout="unified" />);
    expect(await screen.findByText('Nothing would change.')).toBeVisible();
  });

  it('shows what was and what would be', async () => {
    const { container } = render(<YamlDiff before="a: 1" after="a: 2" ariaLabel="Cluster" layout="unified" />);
    const group = await screen.findByRole('group', { name: 'Cluster' });
    expect(group.shadowRoot?.textContent).toContain('a: 1');
    expect(group.shadowRoot?.textContent).toContain('a: 2');
    expect(await axeFindings(container)).toEqual([]);
  });
});
