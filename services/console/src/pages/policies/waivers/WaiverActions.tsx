import type { PolicyWaiver } from '@crate/api';
import { Flex } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useSession } from '../../../app/session-context.js';
import { DeedButton } from '../../../components/access/DeedButton.js';
import type { Decision } from './DecisionDialog.js';
import type { WaiverState } from './waiver-view.js';

const DECIDED: ReadonlySet<WaiverState> = new Set(['Expired', 'Revoked']);

interface WaiverActionsProps {
  readonly waiver: PolicyWaiver;
  readonly state: WaiverState;
  readonly onDecide: (decision: Decision) => void;
}

/** What can be decided about a waiver; a button that does nothing says why. */
export function WaiverActions({ waiver, state, onDecide }: WaiverActionsProps): ReactElement {
  const { t } = useTranslation('policies');
  const { user } = useSession();
  const { name, namespace } = waiver.metadata;
  const needs = { verb: 'create', kind: KINDS.policyWaiver, namespace, name } as const;
  const closed = DECIDED.has(state) ? t('waivers.closed', { state: t(`waivers.states.${state}`) }) : undefined;
  const own = waiver.status?.requestedBy === user ? t('waivers.own') : undefined;
  return (
    <Flex>
      {state !== 'InForce' && (
        <DeedButton
          size="sm"
          needs={{ ...needs, subresource: 'approve' }}
          refusal={closed ?? own}
          aria-label={t('waivers.approveOf', { name })}
          onClick={() => onDecide({ what: 'approve', waiver })}
        >
          {t('waivers.approve')}
        </DeedButton>
      )}
      <DeedButton
        size="sm"
        variant="secondary"
        needs={{ ...needs, subresource: 'revoke' }}
        refusal={closed}
        aria-label={t('waivers.revokeOf', { name })}
        onClick={() => onDecide({ what: 'revoke', waiver })}
      >
        {t('waivers.revoke')}
      </DeedButton>
    </Flex>
  );
}
