import type { Plan } from '@crate/api';
import { Alert, Button, ExpandableSection, Label, List, ListItem, Spinner, Title } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiFetch } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { keepTyped, typedAt } from '../../api/typed-texts.js';
import { useLiveObject } from '../../api/use-live.js';
import { DeedError } from '../../components/access/DeedError.js';
import { LiveContent } from '../../components/LiveContent.js';
import { approvePlan } from '../cluster/plan/plan-writes.js';
import { useCreate } from './create-context.js';
import type { Draft } from './draft.js';

/** A Plan: every resource that would be made, and then exactly that. */
export function PlanPanel({ isReady }: { readonly isReady: boolean }): ReactElement {
  const { t } = useTranslation('create');
  const { draft } = useCreate();
  const [name, keep] = usePlanOf(draft);
  const make = useMutation({ mutationFn: () => makePlan(draft), onSuccess: keep });
  const isOfSpec = hasOnlyName(draft);
  return (
    <section aria-labelledby="plan">
      <Title id="plan" headingLevel="h2" size="lg">
        {t('plan.title')}
      </Title>
      <p>{t('plan.help')}</p>
      {!isOfSpec && <Alert isInline component="h3" variant="info" title={t('plan.specOnly')} />}
      <DeedError error={make.error} />
      {name === undefined ? (
        <Button
          variant="secondary"
          isDisabled={!isReady || !isOfSpec}
          isAriaDisabled={make.isPending}
          isLoading={make.isPending}
          onClick={() => make.mutate()}
        >
          {t('plan.make')}
        </Button>
      ) : (
        <PlanView name={name} onAnother={() => keep(undefined)} />
      )}
    </section>
  );
}

/** The plan that was made of this very draft, also after the way went back to another step, and how to keep one. */
function usePlanOf(draft: Draft): readonly [string | undefined, (name: string | undefined) => void] {
  const place = `plan of ${JSON.stringify(draft)}`;
  const [kept, setKept] = useState(() => typedAt<{ readonly name: string }>(place));
  const keep = (name: string | undefined): void => {
    const next = name === undefined ? undefined : { name };
    keepTyped(place, next);
    setKept(next);
  };
  return [kept?.name, keep];
}

interface PlanViewProps {
  readonly name: string;
  /** Forgets this one. */
  readonly onAnother: () => void;
}

function PlanView({ name, onAnother }: PlanViewProps): ReactElement {
  const { t } = useTranslation('create');
  const { draft } = useCreate();
  const live = useLiveObject<Plan>(KINDS.plan, name, draft.metadata.namespace);
  return (
    <LiveContent of={live}>
      {live.object ? <Standing of={live.object} onApproved={onAnother} /> : <p>{t('plan.gone', { name })}</p>}
      {(!live.object || live.object.status?.end) && (
        <Button variant="link" isInline onClick={onAnother}>
          {t('plan.another')}
        </Button>
      )}
    </LiveContent>
  );
}

interface StandingProps {
  readonly of: Plan;
  readonly onApproved: () => void;
}

function Standing({ of: plan, onApproved }: StandingProps): ReactElement {
  const { t } = useTranslation('create');
  const reason = plan.status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'Pending';
  if (reason === 'Pending') return <Spinner aria-label={t('plan.pending')} />;
  return <Consequences of={plan} reason={reason} onApproved={onApproved} />;
}

function Consequences({ of: plan, reason, onApproved }: StandingProps & { readonly reason: string }): ReactElement {
  const { summary, consequences, failure, end } = plan.status ?? {};
  return (
    <div role="status">
      <p>
        <Label isCompact>{reason}</Label> {summary ?? failure?.message ?? end?.message}
      </p>
      <Resources of={consequences?.terraform?.resources ?? []} />
      {reason === 'Ready' && <Approval of={plan} onApproved={onApproved} />}
    </div>
  );
}

type PlannedResources = readonly { readonly action: string; readonly address: string }[];

function Resources({ of: resources }: { readonly of: PlannedResources }): ReactElement | null {
  const { t } = useTranslation('create');
  if (resources.length === 0) return null;
  return (
    <ExpandableSection toggleText={t('plan.resources', { count: resources.length })}>
      <List isPlain>
        {resources.map(({ action, address }) => (
          <ListItem key={address}>
            {action} <code>{address}</code>
          </ListItem>
        ))}
      </List>
    </ExpandableSection>
  );
}

function Approval({ of: plan, onApproved }: StandingProps): ReactElement {
  const { t } = useTranslation('create');
  const { draft, forget } = useCreate();
  const navigate = useNavigate();
  const { namespace: project = '', name: cluster = '' } = draft.metadata;
  const approve = useMutation({
    mutationFn: () => approvePlan(plan),
    onSuccess: async () => {
      forget();
      await navigate({ to: `/clusters/${project}/${cluster}` });
      onApproved();
    },
  });
  return (
    <>
      <DeedError error={approve.error} />
      <Button
        variant="secondary"
        isAriaDisabled={approve.isPending}
        isLoading={approve.isPending}
        onClick={() => approve.mutate()}
      >
        {t('plan.approve')}
      </Button>
    </>
  );
}

/** Whether its metadata says only what a Plan takes along. Pure. */
function hasOnlyName({ metadata }: Draft): boolean {
  return Object.keys(metadata).every((key) => key === 'name' || key === 'namespace');
}

const RADIX = 36;

async function makePlan({ metadata, spec }: Draft): Promise<string> {
  const name = `${metadata.name ?? ''}-${Date.now().toString(RADIX)}`;
  const body = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name, namespace: metadata.namespace },
    spec: { clusterRef: { name: metadata.name }, wanted: spec },
  };
  await apiFetch(collectionPath(KINDS.plan, metadata.namespace), { method: 'POST', body });
  return name;
}
