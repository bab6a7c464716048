import type { Cluster, Project } from '@crate/api';
import { Button, Form, FormFieldGroup, FormFieldGroupHeader } from '@patternfly/react-core';
import { PlusCircleIcon, TrashIcon } from '@patternfly/react-icons';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useCreate } from './create-context.js';
import type { DocumentPath } from '../../components/form/document-path.js';
import { NumberField } from '../../components/form/NumberField.js';
import { TextField } from '../../components/form/TextField.js';
import type { DraftPool } from './draft.js';
import { suggestionsOf } from './suggestions.js';

type Pools = NonNullable<Cluster['spec']['nodePools']>;

/** Suggested when the Project allows whatever there is. */
const USUAL_TYPES = [
  'm5.large',
  'm5.xlarge',
  'm5.2xlarge',
  'm5.4xlarge',
  'c5.xlarge',
  'c5.2xlarge',
  'r5.xlarge',
  't3.large',
];
const MOST_MACHINES = 200;
const MOST_CONTROL_PLANES = 7;
const SMALLEST_DISK_GIB = 20;

/** Machines: the control plane's, and those of the pools; pools of the class can be taken over and changed. */
export function PoolsStep({ project }: { readonly project: Project | undefined }): ReactElement {
  const { t } = useTranslation('create');
  const { draft, set, live } = useCreate();
  const pools = draft.spec.nodePools ?? [];
  const filled: Pools = live.judgement?.isAllowed ? live.judgement.cluster.spec.nodePools : [];
  const ofClass = filled.filter(({ name }) => !pools.some((pool) => pool.name === name));
  const types = suggestionsOf(project?.spec.allowed?.machineTypes, USUAL_TYPES);
  const add = (pool: DraftPool): void => set(['spec', 'nodePools', pools.length], pool);
  return (
    <Form onSubmit={(event) => event.preventDefault()}>
      <ControlPlane types={types} />
      {ofClass.map((pool) => (
        <ClassPool key={pool.name} pool={pool} onChange={() => add({ name: pool.name, replicas: pool.replicas })} />
      ))}
      {pools.map((pool, index) => (
        // A pool has no name while it is being typed.
        <Pool key={index} pool={pool} index={index} types={types} />
      ))}
      <div>
        <Button variant="link" icon={<PlusCircleIcon />} onClick={() => add(nextPool([...pools, ...filled]))}>
          {t('addPool')}
        </Button>
      </div>
    </Form>
  );
}

function ControlPlane({ types }: { readonly types: readonly string[] }): ReactElement {
  const { t } = useTranslation('create');
  return (
    <FormFieldGroup header={<FormFieldGroupHeader titleText={{ text: t('controlPlane'), id: 'control-plane' }} />}>
      <NumberField
        path={['spec', 'controlPlane', 'replicas']}
        label={t('field.machines')}
        help={t('help.controlPlanes')}
        min={1}
        max={MOST_CONTROL_PLANES}
        step={2}
      />
      <MachineFields path={['spec', 'controlPlane']} types={types} />
    </FormFieldGroup>
  );
}

interface PoolProps {
  readonly pool: DraftPool;
  /** Among the pools that are stated. */
  readonly index: number;
  readonly types: readonly string[];
}

/** A pool that the cluster states, and can do without. */
function Pool({ pool: { name }, index, types }: PoolProps): ReactElement {
  const { t } = useTranslation('create');
  const { set } = useCreate();
  const path = ['spec', 'nodePools', index];
  const remove = (
    <Button
      variant="plain"
      icon={<TrashIcon />}
      aria-label={t('removePool', { name })}
      onClick={() => set(path, undefined)}
    />
  );
  return (
    <FormFieldGroup
      header={<FormFieldGroupHeader titleText={{ text: t('pool', { name }), id: `pool-${index}` }} actions={remove} />}
    >
      <TextField path={[...path, 'name']} label={t('field.poolName')} isRequired />
      <NumberField path={[...path, 'replicas']} label={t('field.machines')} min={0} max={MOST_MACHINES} />
      <MachineFields path={path} types={types} />
    </FormFieldGroup>
  );
}

interface MachineFieldsProps {
  readonly path: DocumentPath;
  readonly types: readonly string[];
}

function MachineFields({ path, types }: MachineFieldsProps): ReactElement {
  const { t } = useTranslation('create');
  return (
    <>
      <TextField path={[...path, 'machineType']} label={t('field.machineType')} suggestions={types} />
      <NumberField path={[...path, 'diskGiB']} label={t('field.diskGiB')} min={SMALLEST_DISK_GIB} />
    </>
  );
}

function ClassPool({ pool, onChange }: { readonly pool: Pools[number]; readonly onChange: () => void }): ReactElement {
  const { t } = useTranslation('create');
  return (
    <FormFieldGroup
      header={
        <FormFieldGroupHeader
          titleText={{ text: t('poolOfClass', { name: pool.name }), id: `class-pool-${pool.name}` }}
          titleDescription={t('poolText', { ...pool })}
          actions={
            <Button variant="secondary" onClick={onChange} aria-label={t('changePool', { name: pool.name })}>
              {t('change')}
            </Button>
          }
        />
      }
    />
  );
}

function nextPool(pools: readonly { readonly name: string }[]): DraftPool {
  const names = pools.map(({ name }) => name);
  const number = [...names, ''].findIndex((_name, index) => !names.includes(`pool-${index + 1}`));
  return { name: `pool-${number + 1}`, replicas: 1, machineType: 'm5.large' };
}
