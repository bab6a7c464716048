import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { KINDS } from '../../../api/paths.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { GuardedButton } from './GuardedButton.js';
import type { Action } from './use-may.js';

interface DownloadButtonProps {
  readonly fileName: string;
  readonly mediaType: string;
  readonly load: () => Promise<string>;
  /** What the person must be allowed to do; default: to read the cluster. */
  readonly needs?: Action;
  /** Why there is nothing to download now. */
  readonly refusal?: string | undefined;
  readonly children: ReactNode;
}

/** Saves a text of the API as a file. */
export function DownloadButton(props: DownloadButtonProps): ReactElement {
  const { fileName, mediaType, load, needs = { verb: 'get', kind: KINDS.cluster }, refusal, children } = props;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => save(fileName, new Blob([await load()], { type: mediaType })),
  });
  return (
    <>
      <GuardedButton variant="secondary" needs={needs} refusal={refusal} isLoading={isPending} onClick={() => mutate()}>
        {children}
      </GuardedButton>
      <DeedError error={error} />
    </>
  );
}

function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
