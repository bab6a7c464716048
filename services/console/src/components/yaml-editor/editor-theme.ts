import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const token = (name: string): string => `var(--pf-t--global--${name})`;

const LOOK = {
  '&': {
    backgroundColor: token('background--color--primary--default'),
    color: token('text--color--regular'),
    border: `1px solid ${token('border--color--default')}`,
    borderRadius: token('border--radius--small'),
    fontSize: token('font--size--body--sm'),
    maxHeight: '70vh',
  },
  '@media print': { '&': { maxHeight: 'none' } },
  '&.cm-focused': { outline: `2px solid ${token('border--color--brand--default')}`, outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: token('font--family--mono'), overflow: 'auto' },
  '.cm-content': { caretColor: token('text--color--regular') },
  '.cm-gutters': {
    backgroundColor: token('background--color--secondary--default'),
    color: token('text--color--subtle'),
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: token('background--color--primary--hover') },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: token('background--color--floating--default'),
    color: token('text--color--regular'),
    border: `1px solid ${token('border--color--default')}`,
    fontFamily: token('font--family--body'),
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: token('color--brand--default'),
    color: token('text--color--on-brand--default'),
  },
  '.cm-completionDetail': { opacity: 0.8 },
  '.crate-hover': { padding: '0.5rem', maxWidth: '32rem' },
  '.crate-hover p': { margin: '0.25rem 0 0' },
  '.cm-collapsedLines': {
    background: token('background--color--secondary--default'),
    color: token('text--color--regular'),
  },
};

const WORDS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: token('text--color--link--default') },
  { tag: [tags.string, tags.special(tags.string)], color: token('text--color--status--success--default') },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: token('text--color--status--custom--default') },
  { tag: tags.comment, color: token('text--color--subtle'), fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.meta], color: token('text--color--subtle') },
]);

/** The look of the rest of the page: its variables follow the theme by themselves. */
export const EDITOR_THEME: Extension = [EditorView.theme(LOOK), syntaxHighlighting(WORDS)];
