import type { Project } from '@crate/api';

/** The lists of what clusters of a Project may use. */
export const ALLOW_LISTS = ['accounts', 'regions', 'machineTypes', 'classes'] as const;

export type AllowList = (typeof ALLOW_LISTS)[number];

/** A list as a person edits it: all, or what stands in the lines. */
export interface EditedList {
  readonly isAll: boolean;
  readonly lines: string;
}

/** As the form begins. */
export function editedList(list: Project['spec']['allowed'][AllowList]): EditedList {
  return { isAll: list === undefined, lines: (list ?? []).join('\n') };
}

/** As it is written; null takes a list away, which allows all. */
export function writtenList({ isAll, lines }: EditedList): readonly string[] | null {
  if (isAll) return null;
  return [...new Set(lines.split(/[\n,]/).map((line) => line.trim()))].filter((line) => line !== '');
}
