import type { JsonSchema } from './json-schema.js';

/** Something to say about a field; `Cause` of an ApiError is one, too. */
export interface EditorDiagnostic {
  /** As the API names it, such as `spec.nodePools[0].replicas`; absent: about the whole document. */
  readonly field?: string;
  readonly message: string;
  /** Default: error. */
  readonly severity?: 'error' | 'warning' | 'info';
}

/** What the YAML editor is told. */
export interface YamlEditorProps {
  readonly value: string;
  /** Called with the whole text at each change by the person. */
  readonly onChange?: (value: string) => void;
  /** Completes, explains and validates; `useKindSchema` gives the one of a kind. */
  readonly schema?: JsonSchema | undefined;
  readonly readOnly?: boolean;
  /** What the server said, shown at the fields beside what the schema finds. */
  readonly diagnostics?: readonly EditorDiagnostic[];
  /** Name of the editor for assistive technology. */
  readonly ariaLabel: string;
}

/** What a comparison of two documents is told. */
export interface YamlDiffProps {
  readonly before: string;
  readonly after: string;
  readonly ariaLabel: string;
  /** Default: side by side where there is room, else one below the other. */
  readonly layout?: 'split' | 'unified';
}
