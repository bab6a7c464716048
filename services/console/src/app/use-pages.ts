import { useInCluster } from '../api/use-in-cluster.js';
import { PAGES, type MenuPage } from './pages.js';

/** Pages of the main menu that have something to do here: where no clusters are made, nothing leads to making one. */
export function usePages(): readonly MenuPage[] {
  const inCluster = useInCluster();
  return inCluster ? PAGES.filter(({ name }) => name !== 'create') : PAGES;
}
