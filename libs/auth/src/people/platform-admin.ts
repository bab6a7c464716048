/** Group of those who run the platform, whatever their identity provider calls it. */
export const PLATFORM_ADMIN_GROUP = 'platform-admin';
