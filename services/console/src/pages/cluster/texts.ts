import type { TFunction } from 'i18next';

/** The words of the cluster's pages. */
export type Texts = TFunction<'cluster'>;
