import satisfies from 'spdx-satisfies';

/** A package as a bill of materials names it; without `licence` where it states none. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
}

/** Licences that what Crate ships may be under: they ask for notices, and for nothing of the code around them. */
export const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Asks for changes of its own files alone; ours are unchanged.
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];

/** What a package states that states nothing a program can read. */
const NOTHING = '';

/** Packages that state another licence, or none, each looked at by somebody. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  // Data about browsers, which building uses and nothing ships.
  'caniuse-lite': 'CC-BY-4.0',
  // Comes with Prisma's studio, which is never started and in no image.
  elkjs: 'EPL-2.0',
  // Their files LICENSE are those of MIT.
  'png-js': NOTHING,
  'seq-queue': NOTHING,
  // Lists of licences, which the check itself reads and nothing ships.
  'spdx-exceptions': 'CC-BY-3.0',
  'spdx-ranges': '(MIT AND CC-BY-3.0)',
};

/** What is wrong with the licences of components, one line each. */
export function licenceProblems(components: readonly Component[]): string[] {
  return components.flatMap(({ name, version, licence }) => {
    if (EXCEPTIONS[name] === (licence ?? NOTHING)) return [];
    if (licence === undefined) return [`${name}@${version} states no licence`];
    if (isAllowed(licence)) return [];
    return [`${name}@${version} is under ${licence}, which release/src/licences.ts does not allow`];
  });
}

function isAllowed(licence: string): boolean {
  try {
    return satisfies(licence.replace(/ and /g, ' AND ').replace(/ or /g, ' OR '), ALLOWED);
  } catch {
    // What is no expression of SPDX is not understood, and so not allowed.
    return false;
  }
}
