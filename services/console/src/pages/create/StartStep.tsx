import { isAllowed, withoutUndefined, type ClusterClass } from '@crate/api';
import {
  Alert,
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  Form,
  FormFieldGroup,
  FormFieldGroupHeader,
  Gallery,
  Label,
} from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../api/paths.js';
import { useMay } from '../../components/access/use-may.js';
import { useCreate } from './create-context.js';
import { newDraft } from './draft.js';
import { TextField } from '../../components/form/TextField.js';
import { OfferedField } from '../../components/form/OfferedField.js';
import { SchemaFields } from '../../components/form/SchemaFields.js';
import type { JsonSchema } from '../../components/yaml-editor/json-schema.js';
import { usualVersion } from './use-draft.js';
import type { Offers } from './use-offers.js';

/** Where the cluster belongs, what it is called, and what it is made from. */
export function StartStep({ classes, projects, areProjectsComing }: Offers): ReactElement {
  const { t } = useTranslation('create');
  const { draft } = useCreate();
  const chosen = classes.find(({ metadata }) => metadata.name === draft.spec.classRef?.name);
  const project = projects.find(({ metadata }) => metadata.name === draft.metadata.namespace);
  const allowed = project?.spec.allowed?.classes;
  const offered = classes.filter(({ metadata }) => allowed === undefined || isAllowed(metadata.name, allowed));
  const options = projects.map(({ metadata, spec }) => ({
    value: metadata.name,
    text: spec.displayName === undefined ? metadata.name : `${spec.displayName} (${metadata.name})`,
  }));
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <OfferedField
        path={['metadata', 'namespace']}
        label={t('field.project')}
        options={options}
        areComing={areProjectsComing}
        none={t('choose')}
        isRequired
      />
      {project && <Forbidden project={project.metadata.name} />}
      <TextField path={['metadata', 'name']} label={t('field.name')} help={t('help.name')} isRequired />
      <div role="radiogroup" aria-label={t('from')}>
        <Gallery hasGutter minWidths={{ default: '14rem' }}>
          {offered.map((each) => (
            <Origin key={each.metadata.name} of={each} />
          ))}
          <Origin of={undefined} />
        </Gallery>
      </div>
      {chosen && <Parameters of={chosen} />}
    </Form>
  );
}

/** Whoever only looks on in the Project hears it now, and not after six more steps. */
function Forbidden({ project }: { readonly project: string }): ReactElement | null {
  const { t } = useTranslation('create');
  const may = useMay({ verb: 'create', kind: KINDS.cluster, namespace: project });
  if (may) return null;
  return (
    <Alert variant="warning" isInline isLiveRegion component="h2" title={t('forbidden', { project })}>
      {t('forbiddenHelp')}
    </Alert>
  );
}

/** A class, or none, to begin from. */
function Origin({ of }: { readonly of: ClusterClass | undefined }): ReactElement {
  const { t } = useTranslation('create');
  const { draft, replace } = useCreate();
  const className = of?.metadata.name;
  const id = `from-${className ?? '-'}`;
  const choose = (): void => {
    const next = newDraft({ className, version: usualVersion() });
    const { accountRef, region } = draft.spec;
    const kept = withoutUndefined({ accountRef, region });
    replace({ ...next, metadata: draft.metadata, spec: { ...kept, ...next.spec } });
  };
  return (
    <Card isCompact isSelectable isSelected={draft.spec.classRef?.name === className} id={id}>
      <CardHeader
        selectableActions={{
          selectableActionId: `${id}-input`,
          selectableActionAriaLabelledby: `${id}-title`,
          name: 'origin',
          variant: 'single',
          onChange: choose,
        }}
      >
        <CardTitle id={`${id}-title`}>{className ?? t('scratch')}</CardTitle>
      </CardHeader>
      <CardBody>
        <p>{of ? of.spec.description : t('scratchHelp')}</p>
        {of?.spec.deletionProtection === true && <Label isCompact>{t('protected')}</Label>}
      </CardBody>
    </Card>
  );
}

/** The parameters of a class as a form, made from their schema. */
function Parameters({ of }: { readonly of: ClusterClass }): ReactElement | null {
  const { t } = useTranslation('create');
  const schema = (of.spec.parameters ?? {}) as JsonSchema;
  if (!schema.properties) return null;
  const titleText = { text: t('parameters', { name: of.metadata.name }), id: 'class-parameters' };
  return (
    <FormFieldGroup header={<FormFieldGroupHeader titleText={titleText} />}>
      <SchemaFields schema={schema} path={['spec', 'parameters']} none={t('asTheClass')} />
    </FormFieldGroup>
  );
}
