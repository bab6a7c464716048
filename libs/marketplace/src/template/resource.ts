import type { Value } from './intrinsics.js';

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, Value>>;
  readonly Metadata?: Value;
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: 'Delete' | 'Retain' | 'Snapshot';
  readonly UpdateReplacePolicy?: 'Delete' | 'Retain' | 'Snapshot';
}

/** Resources by their logical names. */
export type Resources = Readonly<Record<string, Resource>>;
