/** How many versions of one secret are kept: enough to go back over the steps of a few runs. */
export const DEFAULT_KEPT_VERSIONS = 20;
