import { Alert, Stack, StackItem } from '@patternfly/react-core';
import { useEffect, useRef, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { KINDS } from '../../../api/paths.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { useKindSchema } from '../../../components/yaml-editor/use-kind-schema.js';
import { YamlEditor } from '../../../components/yaml-editor/YamlEditor.js';
import { useMay } from '../access/use-may.js';
import { useClusterKey } from '../use-cluster-key.js';
import { BehindAlert } from './BehindAlert.js';
import { yamlOf } from './cluster-yaml.js';
import { DryRunResult } from './DryRunResult.js';
import { useYamlDraft, type YamlDraft } from './use-yaml-draft.js';
import { YamlActions } from './YamlActions.js';

/** The cluster as YAML: edited, tried at the server, and only then applied. */
export function YamlTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { name } = useClusterKey();
  const schema = useKindSchema(KINDS.cluster);
  const mayChange = useMay({ verb: 'update', kind: KINDS.cluster });
  const draft = useYamlDraft();
  const { tried, applied, planned } = draft;
  const error = applied.error ?? tried.error ?? planned.error;
  return (
    <Stack hasGutter>
      {draft.isBehind && (
        <StackItem>
          <BehindAlert isBusy={draft.isBusy} onKeep={draft.keep} onDrop={draft.drop} />
        </StackItem>
      )}
      <StackItem>
        <YamlEditor
          ariaLabel={t('yaml.editor', { name })}
          value={draft.text}
          onChange={draft.type}
          schema={schema}
          readOnly={!mayChange || draft.isBusy}
          diagnostics={causesOf(error)}
        />
      </StackItem>
      <StackItem>
        <YamlActions draft={draft} />
      </StackItem>
      <StackItem>
        <DeedError error={error} />
        <Outcome draft={draft} />
      </StackItem>
    </Stack>
  );
}

/** What the server objects to, field by field. */
function causesOf(error: Error | null): ApiError['causes'] {
  return error instanceof ApiError ? error.causes : [];
}

/** What the text was found to lead to; once it is applied, that it was. */
function Outcome({ draft: { base, tried, applied, isChanged } }: { readonly draft: YamlDraft }): ReactElement {
  const { t } = useTranslation('cluster');
  const place = useRef<HTMLDivElement>(null);
  const { data: outcome } = tried;
  // The editor fills the screen: what was asked for comes below it.
  useEffect(() => {
    if (outcome) place.current?.scrollIntoView({ block: 'nearest' });
  }, [outcome]);
  const isApplied = applied.isSuccess && !isChanged;
  return (
    <div ref={place}>
      {isApplied && <Alert variant="success" isInline isLiveRegion component="h2" title={t('yaml.applied')} />}
      {!isApplied && outcome && <DryRunResult before={yamlOf(base)} outcome={outcome} />}
    </div>
  );
}
