/** Names one version of a secret, or a row of a table of the service's own. */
export interface SecretPlace {
  readonly ownerUid: string;
  readonly kind: string;
  readonly serial: number;
}

/** Rows that stand under encryption keys and can be moved, one after the other. */
export interface RenewableRows<Place> {
  /** The next rows behind one, in a fixed order; `last` is absent: the first. */
  under(keyIds: readonly string[], last: Place | undefined, count: number): Promise<readonly Place[]>;
  /** Moves a row under the newest key. 0 when somebody replaced or removed it in the meantime. */
  renew(place: Place): Promise<number>;
  /** Names the row. */
  bindingOf(place: Place): SecretPlace;
}
