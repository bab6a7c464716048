import { execFileSync } from 'node:child_process';
import type { Component } from './licences.js';

interface Stated {
  readonly license?: { readonly id?: string; readonly name?: string };
  readonly expression?: string;
}

interface BomComponent {
  readonly 'bom-ref': string;
  readonly version?: string;
  readonly licenses?: readonly Stated[];
}

/** A bill of materials in the form of CycloneDX. */
export interface BillOfMaterials {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly BomComponent[];
}

const BYTES = 64 * 1024 * 1024;

/** What npm says the lock file in `directory` has; nothing is downloaded. `omit` leaves development dependencies out. */
export function billOfMaterials(directory: string, omit: 'dev' | 'nothing' = 'nothing'): BillOfMaterials {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', ...(omit === 'dev' ? ['--omit=dev'] : [])];
  const text = execFileSync('npm', args, { cwd: directory, maxBuffer: BYTES, stdio: ['ignore', 'pipe', 'pipe'] });
  return JSON.parse(text.toString('utf8')) as BillOfMaterials;
}

/** Packages of the workspace, as they are referred to. */
const OWN = /^@crate\//;

/** The packages of others in a bill of materials. */
export function foreignComponents({ components }: BillOfMaterials): Component[] {
  const foreign = components.filter((component) => !OWN.test(component['bom-ref']));
  return foreign.map((component) => ({
    name: component['bom-ref'].replace(/(?<=.)@[^@/]*(\|.*)?$/, ''),
    version: component.version ?? '',
    licence: licenceOf(component.licenses ?? []),
  }));
}

function licenceOf(stated: readonly Stated[]): string | undefined {
  const names = stated.map(({ license, expression }) => license?.id ?? expression ?? license?.name);
  return names.find((name) => name !== undefined);
}
