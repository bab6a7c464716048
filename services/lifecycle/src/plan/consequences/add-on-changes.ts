import type { AddOn, AddOnInstallation, Consequences } from '@crate/api';

type AddOnChange = Consequences['addOns'][number];

/** What comes, goes or gets another version, in the order in which that is done. Pure. */
export function addOnChanges(
  installed: readonly AddOnInstallation[],
  wanted: readonly AddOn[],
): readonly AddOnChange[] {
  const versions = new Map(installed.map(({ spec }) => [spec.addOn, spec.version]));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const going = installed.filter(({ spec }) => !names.has(spec.addOn));
  return [
    ...going.map(({ spec }): AddOnChange => ({ name: spec.addOn, change: 'remove', from: spec.version })),
    ...wanted.flatMap(({ metadata: { name }, spec: { version: to } }): AddOnChange[] => {
      const from = versions.get(name);
      if (from === undefined) return [{ name, change: 'install', to }];
      return from === to ? [] : [{ name, change: 'upgrade', from, to }];
    }),
  ];
}
