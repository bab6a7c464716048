import { yaml } from '@codemirror/lang-yaml';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { EDITOR_THEME } from './editor-theme.js';
import { shadowOf } from './shadow.js';

/** What a comparison is drawn from. */
export interface DiffOptions {
  readonly before: string;
  readonly after: string;
  readonly isSplit: boolean;
  readonly isDark: boolean;
  readonly labels: { readonly before: string; readonly after: string };
  /** Words of the editor's own, by the English ones. */
  readonly phrases: Readonly<Record<string, string>>;
}

const COLLAPSE = { margin: 3, minSize: 4 };

/** Draws what differs between two texts into an element; returns how to take it away. */
export function drawDiff(host: HTMLElement, options: DiffOptions): () => void {
  const { before, after, isSplit, labels } = options;
  const root = shadowOf(host);
  if (isSplit) {
    const view = new MergeView({
      a: { doc: before, extensions: sideOf(options, labels.before) },
      b: { doc: after, extensions: sideOf(options, labels.after) },
      root,
      parent: root,
      gutter: true,
      collapseUnchanged: COLLAPSE,
    });
    return () => view.destroy();
  }
  const unified = unifiedMergeView({
    original: before,
    mergeControls: false,
    gutter: true,
    collapseUnchanged: COLLAPSE,
  });
  const view = new EditorView({ doc: after, extensions: [sideOf(options, labels.after), unified], root, parent: root });
  return () => view.destroy();
}

function sideOf({ isDark, phrases }: DiffOptions, label: string): Extension {
  return [
    lineNumbers(),
    yaml(),
    EDITOR_THEME,
    EditorView.darkTheme.of(isDark),
    EditorView.lineWrapping,
    EditorState.readOnly.of(true),
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
  ];
}
