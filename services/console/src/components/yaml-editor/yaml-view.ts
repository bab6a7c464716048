import { autocompletion, closeBrackets } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { indentUnit } from '@codemirror/language';
import { forceLinting, linter, lintGutter } from '@codemirror/lint';
import { Compartment, EditorState, StateEffect, type Extension } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, type ViewUpdate } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import type { TFunction } from 'i18next';
import { completeFrom } from './completion.js';
import { EDITOR_THEME } from './editor-theme.js';
import { describeAt } from './hover.js';
import type { JsonSchema } from './json-schema.js';
import { problemsOf, type Problem } from './problems.js';
import { shadowOf } from './shadow.js';
import { TYPING } from './typing.js';
import type { EditorDiagnostic } from './yaml-editor-props.js';

/** What may change while an editor stands. */
export interface YamlViewOptions {
  readonly schema?: JsonSchema | undefined;
  readonly diagnostics: readonly EditorDiagnostic[];
  readonly readOnly: boolean;
  readonly isDark: boolean;
  readonly label: string;
  readonly t: TFunction;
  readonly onChange: (text: string) => void;
  readonly onProblems: (problems: readonly LinedProblem[]) => void;
}

/** A problem, and the line that it is in, from 1. */
export type LinedProblem = Problem & { readonly line: number };

const LINT_MS = 250;
/** The text is to be looked at again, though it is what it was. */
const lookAgain = StateEffect.define();

/** One editor in an element of the page. */
export class YamlView {
  private readonly extensions: Extension;
  private readonly view: EditorView;
  private readonly looks = new Compartment();
  private options: YamlViewOptions | undefined;
  /** Last text that the page was told: its echo is not an edit. */
  private told: string | undefined;

  constructor(host: HTMLElement) {
    const root = shadowOf(host);
    this.extensions = [
      basicSetup,
      closeBrackets(),
      keymap.of([indentWithTab]),
      yaml(),
      indentUnit.of('  '),
      EditorState.tabSize.of(2),
      lintGutter(),
      EDITOR_THEME,
      TYPING,
      this.assistance(),
      EditorView.updateListener.of((update) => this.tell(update)),
    ];
    this.view = new EditorView({ root, parent: root, state: this.stateOf('') });
  }

  private stateOf(doc: string): EditorState {
    const looks = this.options ? looksOf(this.options) : [];
    return EditorState.create({ doc, extensions: [this.extensions, this.looks.of(looks)] });
  }

  /** Takes over what the page says; nothing happens where it says what it said before. */
  configure(options: YamlViewOptions): void {
    const before = this.options;
    this.options = options;
    const { isDark, readOnly, label } = options;
    if (before?.isDark !== isDark || before.readOnly !== readOnly || before.label !== label) {
      this.view.dispatch({ effects: this.looks.reconfigure(looksOf(options)) });
    }
    if (before?.schema === options.schema && before?.diagnostics === options.diagnostics) return;
    this.view.dispatch({ effects: lookAgain.of(null) });
    forceLinting(this.view);
  }

  /** Begins with another text, and with no history: what is undone is what somebody typed in it. */
  setText(text: string): void {
    if (text === this.told || text === this.view.state.doc.toString()) return;
    this.told = undefined;
    this.view.setState(this.stateOf(text));
  }

  /** Puts the cursor there, and the keyboard. */
  goTo({ from, to }: Problem): void {
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }

  /** Made once: a list of completions that is open closes when what made it is replaced. */
  private assistance(): Extension {
    return [
      autocompletion({
        override: [(context) => (this.options?.schema ? completeFrom(this.options.schema, context) : null)],
        icons: false,
      }),
      hoverTooltip((view, offset) =>
        this.options?.schema ? describeAt(this.options.schema, view, offset, this.options.t) : null,
      ),
      linter(({ state }) => this.inspect(state), {
        delay: LINT_MS,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((each) => each.is(lookAgain))),
      }),
    ];
  }

  private inspect(state: EditorState): readonly LinedProblem[] {
    if (!this.options) return [];
    const problems = problemsOf(state.doc.toString(), this.options).map((problem) => ({
      ...problem,
      to: Math.min(problem.to, state.doc.length),
      line: state.doc.lineAt(Math.min(problem.from, state.doc.length)).number,
    }));
    this.options.onProblems(problems);
    return problems;
  }

  private tell({ docChanged, state }: ViewUpdate): void {
    if (!docChanged) return;
    this.told = state.doc.toString();
    this.options?.onChange(this.told);
  }
}

function looksOf({ readOnly, isDark, label }: YamlViewOptions): Extension {
  return [
    EditorView.darkTheme.of(isDark),
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': label,
      ...(readOnly ? { 'aria-readonly': 'true' } : {}),
    }),
  ];
}
