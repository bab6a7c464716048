import type { AddOn } from '@crate/api';
import type { DraftAddOn } from './draft.js';

/** An add-on of the catalogue, as a draft stands to it. */
export interface AddOnChoice {
  readonly addOn: AddOn;
  readonly isChosen: boolean;
  /** True when it is not for the draft to say, or not by itself. */
  readonly isFixed: boolean;
  readonly isDefault: boolean;
  readonly isOfClass: boolean;
  /** For clusters of other clouds only. */
  readonly isUnsuited: boolean;
  /** Add-ons of the draft that do not go without it. */
  readonly neededBy: readonly string[];
}

/** What decides about add-ons besides the draft. */
export interface ChoiceContext {
  /** Undefined: nobody knows yet. */
  readonly provider: string | undefined;
  readonly ofClass: ReadonlySet<string>;
}

type Own = Omit<AddOnChoice, 'neededBy' | 'isFixed'> & { readonly isStated: boolean };

/** All add-ons, each with whether the cluster would get it, and why. Pure. */
export function addOnChoices(
  catalogue: readonly AddOn[],
  stated: readonly DraftAddOn[],
  context: ChoiceContext,
): readonly AddOnChoice[] {
  const own = catalogue.map((addOn) => ownChoice(addOn, stated, context));
  return own.map(({ isStated, ...choice }): AddOnChoice => {
    const { name } = choice.addOn.metadata;
    const neededBy = own
      .filter(({ addOn, isChosen }) => isChosen && needsOf(addOn, catalogue).has(name))
      .map(({ addOn }) => addOn.metadata.name);
    const comesAlong = !isStated && (choice.isOfClass || neededBy.length > 0);
    const isFixed = comesAlong || (choice.isUnsuited && !isStated);
    return { ...choice, isChosen: choice.isChosen || comesAlong, isFixed, neededBy };
  });
}

function ownChoice(addOn: AddOn, stated: readonly DraftAddOn[], { provider, ofClass }: ChoiceContext): Own {
  const { metadata, spec } = addOn;
  const request = stated.find(({ name }) => name === metadata.name);
  const isDefault = spec.defaultFor?.some((each) => each === provider) ?? false;
  const isOfClass = ofClass.has(metadata.name);
  const isUnsuited = provider !== undefined && spec.providers?.every((each) => each !== provider) === true;
  const isChosen = request ? request.enabled !== false : isOfClass || isDefault;
  return { addOn, isStated: request !== undefined, isChosen, isDefault, isOfClass, isUnsuited };
}

/** Names of all that an add-on needs, itself or through what it needs. */
function needsOf({ spec }: AddOn, catalogue: readonly AddOn[], found = new Set<string>()): ReadonlySet<string> {
  for (const name of spec.dependsOn) {
    const needed = catalogue.find(({ metadata }) => metadata.name === name);
    if (found.has(name)) continue;
    found.add(name);
    if (needed) needsOf(needed, catalogue, found);
  }
  return found;
}

/** What a draft states once somebody chose otherwise: what comes by default is left out in so many words. Pure. */
export function chosenOtherwise(stated: readonly DraftAddOn[], choice: AddOnChoice): readonly DraftAddOn[] {
  const { addOn, isChosen, isDefault } = choice;
  const { name } = addOn.metadata;
  const others = stated.filter((each) => each.name !== name);
  if (isChosen) return isDefault ? [...others, { name, enabled: false }] : others;
  return isDefault ? others : [...others, { name }];
}
