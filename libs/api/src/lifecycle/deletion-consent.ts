/** An administrator of the Project says with it that the protected cluster may be deleted within an hour; its value is the name of the cluster. */
export const CONFIRM_ANNOTATION = 'lifecycle.crate.dev/confirm-deletion';
