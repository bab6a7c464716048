/** A page of the main menu. */
export interface MenuPage {
  readonly to: string;
  readonly name: 'fleet' | 'create' | 'policies' | 'projects' | 'notifications' | 'audit' | 'platform';
  /** True for paths that belong to it. */
  readonly holds: (path: string) => boolean;
}

/** The main menu, in its order. */
export const PAGES: readonly MenuPage[] = [
  { to: '/', name: 'fleet', holds: (path) => path === '/' || path.startsWith('/clusters') },
  below('create'),
  below('policies'),
  below('projects'),
  below('notifications'),
  below('audit'),
  below('platform'),
];

function below(name: MenuPage['name']): MenuPage {
  return { to: `/${name}`, name, holds: (path) => path === `/${name}` || path.startsWith(`/${name}/`) };
}
