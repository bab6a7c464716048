import { EVENT, type KubeList, type KubeObject, type WatchEvent } from '@crate/api';
import {
  ReadOnlyApi,
  type CallContext,
  type ListOptions,
  type ResourceApi,
  type ResourceRef,
  type ResourceType,
  type WatchOptions,
} from '@crate/resource-client';

const STORED: ResourceType = { group: EVENT.group, version: EVENT.version, plural: EVENT.plural };

/** How stored events are shown. */
export interface EventView {
  readonly apiVersion: string;
  readonly show: (event: KubeObject) => KubeObject;
  /** A field selector of the view in the words of what is stored. */
  readonly storedFields: (selector: string) => string;
}

/** Events as they are stored. */
export const STORED_VIEW: EventView = {
  apiVersion: EVENT.version,
  show: (event) => event,
  storedFields: (same) => same,
};

/** Events to read, in one of their versions. */
export class EventsApi extends ReadOnlyApi {
  constructor(
    private readonly stored: ResourceApi,
    private readonly view: EventView = STORED_VIEW,
  ) {
    super();
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return this.view.show(await this.stored.get({ ...ref, ...STORED }, context));
  }

  override async list(_type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    const page = await this.stored.list(STORED, this.selecting(options), context);
    return { ...page, apiVersion: this.view.apiVersion, items: page.items.map(this.view.show) };
  }

  override async *watch(_type: ResourceType, options: WatchOptions, context: CallContext): AsyncIterable<WatchEvent> {
    for await (const { type, object } of this.stored.watch(STORED, this.selecting(options), context)) {
      yield { type, object: this.view.show(object) };
    }
  }

  private selecting<T extends ListOptions | WatchOptions>(options: T): T {
    const { fieldSelector } = options;
    return fieldSelector === undefined ? options : { ...options, fieldSelector: this.view.storedFields(fieldSelector) };
  }
}
