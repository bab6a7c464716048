import { Alert } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { DeedButton } from '../../../components/access/DeedButton.js';
import { DeedError } from '../../../components/access/DeedError.js';
import type { ComponentView } from './component-view.js';
import { setVersion } from './component-writes.js';

/** An upgrade that went back: the version before goes on, and somebody says whether that is what is wanted now. */
export function TakenBackAlert({ view: { name, why, installed } }: { readonly view: ComponentView }): ReactElement {
  const { t } = useTranslation('platform');
  const stay = useMutation({ mutationFn: () => setVersion(name, installed) });
  return (
    <Alert
      isInline
      variant="warning"
      title={`${name}: ${why}`}
      component="h3"
      actionLinks={
        <DeedButton
          variant="link"
          isInline
          needs={{ verb: 'patch', kind: KINDS.component }}
          isLoading={stay.isPending}
          aria-label={t('problems.stayOf', { name, installed })}
          onClick={() => stay.mutate()}
        >
          {t('problems.stay', { installed })}
        </DeedButton>
      }
    >
      {t('problems.takenBack', { installed })}
      <DeedError error={stay.error} />
    </Alert>
  );
}
