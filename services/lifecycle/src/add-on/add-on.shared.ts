import type { AddOn } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { freezeJson } from '@crate/resource-store';

/**
 * The catalogue as it is stored, read each time. An add-on that is as it was is the very same object, which nobody can change: so it is known
 * what was compiled of it.
 */
export class SharedCatalogue {
  private known: ReadonlyMap<string, AddOn> = new Map();

  constructor(private readonly addOns: Pick<TypedClient<AddOn>, 'list'>) {}

  /** All add-ons by their names. Not to be changed. */
  async byName(): Promise<ReadonlyMap<string, AddOn>> {
    const listed = await this.addOns.list();
    const shared = new Map(listed.map((addOn) => [addOn.metadata.name, this.sharedOf(addOn)]));
    this.known = shared;
    return shared;
  }

  private sharedOf(addOn: AddOn): AddOn {
    const { name, uid, resourceVersion } = addOn.metadata;
    const known = this.known.get(name);
    const isSame = known?.metadata.uid === uid && known.metadata.resourceVersion === resourceVersion;
    return isSame ? known : freezeJson(addOn);
  }
}
