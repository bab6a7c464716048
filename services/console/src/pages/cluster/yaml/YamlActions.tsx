import { Button, Flex } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { changesMetadata } from './cluster-yaml.js';
import type { YamlDraft } from './use-yaml-draft.js';

const UPDATE = { verb: 'update', kind: KINDS.cluster } as const;
const PLAN = { verb: 'create', kind: KINDS.plan } as const;

/** What can be done with the text: tried, applied once it was tried, planned, and given up. */
export function YamlActions({ draft }: { readonly draft: YamlDraft }): ReactElement {
  const { t } = useTranslation('cluster');
  const { text, base, tried, applied, planned, isChanged, isBehind, isBusy, drop } = draft;
  const busy = isBusy ? t('yaml.busy') : undefined;
  const nothingNew = isChanged ? undefined : t('yaml.same');
  const behind = isBehind ? t('yaml.behindTitle') : undefined;
  const notOfSpec = changesMetadata(text, base) ? t('yaml.planSpecOnly') : undefined;
  return (
    <Flex>
      <GuardedButton
        variant="secondary"
        needs={UPDATE}
        refusal={busy ?? nothingNew}
        isLoading={tried.isPending}
        onClick={() => tried.mutate()}
      >
        {t('yaml.try')}
      </GuardedButton>
      <GuardedButton
        needs={UPDATE}
        refusal={busy ?? (tried.data ? undefined : t('yaml.tryFirst'))}
        isLoading={applied.isPending}
        onClick={() => applied.mutate()}
      >
        {t('yaml.apply')}
      </GuardedButton>
      <GuardedButton
        variant="secondary"
        needs={PLAN}
        refusal={busy ?? nothingNew ?? behind ?? notOfSpec}
        isLoading={planned.isPending}
        onClick={() => planned.mutate()}
      >
        {t('yaml.plan')}
      </GuardedButton>
      {isChanged && (
        <Button variant="link" isAriaDisabled={isBusy} onClick={drop}>
          {t('yaml.drop')}
        </Button>
      )}
    </Flex>
  );
}
