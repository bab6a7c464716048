import type { AnyRoute } from '@tanstack/react-router';
import { pageRoute } from '../../app/page-routes.js';

/** The pages below `/notifications`; their code comes when they are first opened. */
export function notificationRoutes(parent: () => AnyRoute): AnyRoute[] {
  return [
    pageRoute(parent, '/notifications', 'NotificationsPage', () => import('./NotificationsPage.js')),
    pageRoute(parent, '/notifications/$project/$channel', 'ChannelPage', () => import('./ChannelPage.js')),
  ];
}
