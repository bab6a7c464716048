import type { FleetPage, Project } from '@crate/api';
import { Form } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../api/http.js';
import { useCreate } from './create-context.js';
import { TextField } from '../../components/form/TextField.js';
import { OfferedField } from '../../components/form/OfferedField.js';
import { suggestionsOf } from './suggestions.js';
import { useAccounts } from './use-accounts.js';

/** Who pays, and where. */
export function CloudStep({ project }: { readonly project: Project | undefined }): ReactElement {
  const { t } = useTranslation('create');
  const { draft, set } = useCreate();
  const { accounts, areComing } = useAccounts(draft.metadata.namespace);
  const regions = useRegions(project);
  const options = accounts.map(({ metadata, spec, status }) => {
    const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
    const text = t(isReady ? 'account' : 'accountNotReady', { name: metadata.name, provider: spec.provider });
    return { value: metadata.name, text };
  });
  const none = t(project?.spec.defaults?.accountRef ? 'asTheProject' : 'choose');
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <OfferedField
        path={['spec', 'accountRef', 'name']}
        label={t('field.account')}
        options={options}
        areComing={areComing}
        none={none}
        help={draft.metadata.namespace === undefined ? undefined : t('help.noAccounts')}
        isRequired={!project?.spec.defaults?.accountRef}
        onChoice={(name) => set(['spec', 'accountRef'], name === undefined ? undefined : { name })}
      />
      <TextField
        path={['spec', 'region']}
        label={t('field.region')}
        help={t('help.region')}
        suggestions={regions}
        isRequired={!project?.spec.defaults?.region}
      />
    </Form>
  );
}

/** Regions that the Project allows, by name or among those that clusters are in; without such a list, those that clusters are in. */
function useRegions(project: Project | undefined): readonly string[] {
  const { data } = useQuery({
    queryKey: ['fleet', 'whole'],
    queryFn: ({ signal }) => apiJson<FleetPage>('/fleet/clusters?limit=1', { signal }),
  });
  const known = data?.rollup.byRegion.map(({ key }) => key).filter((key) => key !== '') ?? [];
  return suggestionsOf(project?.spec.allowed?.regions, known);
}
