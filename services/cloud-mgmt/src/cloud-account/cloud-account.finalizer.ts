/** Held until nothing uses the account and its credentials are removed. */
export const CLOUD_ACCOUNT_FINALIZER = 'cloud.crate.dev/cloudaccounts';
