import type { Manifest } from '@crate/api';
import { statedAgain } from '@crate/kubernetes';
import type { FieldError } from '@crate/resource-server';

/** What each cluster sets itself, and no other one takes, as is left in by copying what one shows. */
const SET_BY_CLUSTERS = ['uid', 'resourceVersion', 'managedFields'] as const;

/** What is wrong with manifests that values were put into, other than with those as written; paths begin at the add-on's spec. Pure. */
export function manifestErrors(made: readonly Manifest[], written: readonly Manifest[]): readonly FieldError[] {
  const nameless = made.flatMap(unnamed);
  if (nameless.length > 0) return nameless;
  const known = statedAgain(written);
  return [...statedAgain(made)].filter(([index]) => !known.has(index)).map(twice);
}

/** Manifests that state the object of one before them: each would undo what the other sets. Paths begin at the add-on's spec. Pure. */
export function statedTwice(manifests: readonly Manifest[]): readonly FieldError[] {
  return [...statedAgain(manifests)].map(twice);
}

/** Fields that no manifest may state: a cluster refuses the object for them. Paths begin at the add-on's spec. Pure. */
export function copiedFields(manifests: readonly Manifest[]): readonly FieldError[] {
  const detail = 'must be left out: each cluster sets it itself';
  return manifests.flatMap(({ metadata }, index) =>
    SET_BY_CLUSTERS.filter((field) => Object.hasOwn(metadata, field)).map((field): FieldError => {
      return { path: ['manifests', index, 'metadata', field], reason: 'FieldValueForbidden', detail };
    }),
  );
}

function twice([index, first]: readonly [index: number, first: number]): FieldError {
  const detail = `is the same object as spec.manifests[${first}]`;
  return { path: ['manifests', index], reason: 'FieldValueDuplicate', detail };
}

function unnamed(manifest: Manifest, index: number): readonly FieldError[] {
  const { apiVersion, kind, metadata } = manifest as Partial<Manifest>;
  const fields = { apiVersion, kind, 'metadata.name': metadata?.name };
  const wrong = Object.entries(fields).filter(([, value]) => typeof value !== 'string' || value === '');
  return wrong.map(([field, value]) => ({
    path: ['manifests', index, ...field.split('.')],
    value,
    reason: 'FieldValueInvalid',
    detail: 'must be a text that is not empty',
  }));
}
