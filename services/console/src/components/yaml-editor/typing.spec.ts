import { closeBrackets } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { describe, expect, it } from '@jest/globals';
import { TYPING } from './typing.js';

const LINES = 'one\ntwo\nthree';

interface Typed {
  readonly text: string;
  /** Whether the browser does nothing of its own. */
  readonly isTaken: boolean;
}

/** What becomes of three lines when something is typed with a part of them selected. */
function typed(
  event: InputEventInit,
  selection: { readonly anchor: number; readonly head: number },
  readOnly = false,
): Typed {
  const extensions = [closeBrackets(), TYPING, EditorState.readOnly.of(readOnly)];
  const view = new EditorView({ doc: LINES, selection, extensions, parent: document.body });
  const input = new InputEvent('beforeinput', { bubbles: true, cancelable: true, ...event });
  view.contentDOM.dispatchEvent(input);
  const text = view.state.doc.toString();
  view.destroy();
  return { text, isTaken: input.defaultPrevented };
}

describe('typing over a selection', () => {
  const TWO_LINES = { anchor: 1, head: 6 };
  const insert = (data: string): InputEventInit => ({ inputType: 'insertText', data });

  it('changes the document, and leaves the lines of the page to nobody else', () => {
    expect(typed(insert('z'), TWO_LINES)).toEqual({ text: 'ozo\nthree', isTaken: true });
  });

  it.each(['deleteContentBackward', 'deleteContentForward'])('takes it away: %s', (inputType) => {
    expect(typed({ inputType }, TWO_LINES)).toEqual({ text: 'oo\nthree', isTaken: true });
  });

  it('puts brackets around it, as in a line', () => {
    expect(typed(insert('['), TWO_LINES)).toEqual({ text: 'o[ne\ntw]o\nthree', isTaken: true });
  });

  it('changes nothing of what may only be read', () => {
    expect(typed(insert('z'), TWO_LINES, true)).toEqual({ text: LINES, isTaken: false });
  });

  it('is the browser’s where nothing is selected', () => {
    expect(typed(insert('z'), { anchor: 2, head: 2 })).toEqual({ text: LINES, isTaken: false });
  });
});
