import type { StateDiff } from '@crate/api';
import {
  Button,
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  FormGroup,
  FormSelect,
  FormSelectOption,
  Stack,
} from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../../api/http.js';
import { objectPath } from '../../../api/paths.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { InSight } from '../../../components/InSight.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { ResourceChanges } from '../plan/ResourceChanges.js';
import type { AnyVersion, StateFamily } from './state-family.js';

interface StateComparisonProps {
  readonly family: StateFamily;
  readonly version: AnyVersion;
  readonly versions: readonly AnyVersion[];
  /** Serial that is compared with; undefined: the one before. */
  readonly from: string | undefined;
  readonly onFrom: (serial: string | undefined) => void;
  readonly onClose: () => void;
}

/** What is in a version of the state and not, or otherwise, in another; secrets are masked. */
export function StateComparison(props: StateComparisonProps): ReactElement {
  const { version, onClose } = props;
  const { t } = useTranslation('cluster');
  const close = (
    <Button variant="link" onClick={onClose}>
      {t('common:actions.close')}
    </Button>
  );
  return (
    <InSight of={version.metadata.name}>
      <Card>
        <CardHeader hasWrap actions={{ actions: close }}>
          <CardTitle component="h2">{t('states.changes', { serial: version.spec.serial })}</CardTitle>
        </CardHeader>
        <CardBody>
          <Stack hasGutter>
            <FromChoice {...props} />
            <Differences {...props} />
          </Stack>
        </CardBody>
      </Card>
    </InSight>
  );
}

/** Which version it is compared with: any older one. */
function FromChoice({ version, versions, from, onFrom }: StateComparisonProps): ReactElement {
  const { t } = useTranslation('cluster');
  const id = useId();
  const older = versions.filter(({ spec }) => spec.serial < version.spec.serial);
  return (
    <FormGroup label={t('states.from')} fieldId={id}>
      <FormSelect id={id} value={from ?? ''} onChange={(_, value) => onFrom(value === '' ? undefined : value)}>
        <FormSelectOption value="" label={t('states.fromBefore')} />
        {older.map(({ spec: { serial } }) => (
          <FormSelectOption key={serial} value={String(serial)} label={t('states.fromSerial', { serial })} />
        ))}
      </FormSelect>
    </FormGroup>
  );
}

/** What the platform finds to differ, once it has answered. */
function Differences({ family, version, from }: StateComparisonProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { name, namespace } = version.metadata;
  const { data, error, refetch } = useQuery({
    queryKey: ['state-diff', family.name, namespace, name, from],
    queryFn: ({ signal }) =>
      apiJson<StateDiff>(objectPath(family.kind, name, namespace, 'diff'), {
        signal,
        ...(from === undefined ? {} : { method: 'POST' as const, body: { from: Number(from) } }),
      }),
  });
  return (
    <>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <LoadingState />}
      {data && <p role="status">{t('states.counts', data.counts)}</p>}
      {data && <ResourceChanges resources={data.resources} />}
    </>
  );
}
