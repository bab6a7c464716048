import type { ComponentProps, ReactElement } from 'react';
import { DeedButton } from '../../../components/access/DeedButton.js';
import { useClusterKey } from '../use-cluster-key.js';
import type { Action } from './use-may.js';

interface GuardedButtonProps extends Omit<ComponentProps<typeof DeedButton>, 'needs'> {
  readonly needs: Action;
}

/** A button for what not everybody may do in the Project of the page. */
export function GuardedButton({ needs, ...props }: GuardedButtonProps): ReactElement {
  const { project: namespace } = useClusterKey();
  return <DeedButton {...props} needs={{ ...needs, namespace }} />;
}
