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
  const { family, version, versions, from, onFrom, onClose } = props;
  const { t } = useTranslation('cluster');
  const { name, namespace } = version.metadata;
  const { serial } = version.spec;
  const id = useId();
  const { data, error } = useQuery({
    queryKey: ['state-diff', family.name, namespace, name, from],
    queryFn: ({ signal }) =>
      apiJson<StateDiff>(objectPath(family.kind, name, namespace, 'diff'), {
        signal,
        ...(from === undefined ? {} : { method: 'POST' as const, body: { from: Number(from) } }),
      }),
  });
  return (
    <Card>
      <CardHeader
        hasWrap
        actions={{
          actions: (
            <Button variant="link" onClick={onClose}>
              {t('common:actions.close')}
            </Button>
          ),
        }}
      >
        <CardTitle component="h2">{t('states.changes', { serial })}</CardTitle>
      </CardHeader>
      <CardBody>
        <Stack hasGutter>
          <FormGroup label={t('states.from')} fieldId={id}>
            <FormSelect id={id} value={from ?? ''} onChange={(_, value) => onFrom(value === '' ? undefined : value)}>
              <FormSelectOption value="" label={t('states.fromBefore')} />
              {versions
                .filter((other) => other.spec.serial < serial)
                .map((other) => (
                  <FormSelectOption
                    key={other.spec.serial}
                    value={String(other.spec.serial)}
                    label={t('states.fromSerial', { serial: other.spec.serial })}
                  />
                ))}
            </FormSelect>
          </FormGroup>
          {error && <ErrorState error={error} />}
          {!error && !data && <LoadingState />}
          {data && <p role="status">{t('states.counts', data.counts)}</p>}
          {data && <ResourceChanges resources={data.resources} />}
        </Stack>
      </CardBody>
    </Card>
  );
}
