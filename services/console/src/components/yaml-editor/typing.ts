import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * What is typed over a selection becomes a change of the document at once. Left to the browser, it joins the lines of
 * the page first and keeps their looks by `style` attributes, which the page's content security policy refuses, and
 * reports, each time.
 */
export const TYPING: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const text = textOf(event);
    const { main } = view.state.selection;
    if (text === undefined || main.empty || view.composing || view.state.readOnly) return false;
    type(view, text);
    return true;
  },
});

/** What comes into the place of the selection; undefined for what is not typed a letter at a time. */
function textOf({ inputType, data }: InputEvent): string | undefined {
  if (inputType === 'insertText') return data ?? undefined;
  return inputType === 'deleteContentBackward' || inputType === 'deleteContentForward' ? '' : undefined;
}

/** Who is asked about typing, such as what closes brackets, is asked about this, too. */
function type(view: EditorView, text: string): void {
  const { state } = view;
  const { from, to } = state.selection.main;
  const userEvent = text === '' ? 'delete.selection' : 'input.type';
  const change = state.update(state.replaceSelection(text), { userEvent, scrollIntoView: true });
  const isTaken =
    text !== '' && state.facet(EditorView.inputHandler).some((take) => take(view, from, to, text, () => change));
  if (!isTaken) view.dispatch(change);
}
