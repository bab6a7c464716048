import type { Policy } from '@crate/api';
import { Alert, Content, EmptyState, Flex, Stack, StackItem, Title } from '@patternfly/react-core';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useLiveObject } from '../../../api/use-live.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { SeverityLabel } from '../labels.js';
import { RuleExamples } from './RuleExamples.js';
import { RuleExpressions } from './RuleExpressions.js';
import { wholeRule } from './rule-view.js';
import { RuleFacts } from './RuleFacts.js';

/** One rule: what it is about, what to do, and the expressions that decide. */
export function RulePart(): ReactElement {
  const { t } = useTranslation('policies');
  const { rule = '' }: { readonly rule?: string } = useParams({ strict: false });
  const [{ project }] = useViewState();
  const live = useLiveObject<Policy>(KINDS.policy, rule);
  return (
    <Stack hasGutter>
      <StackItem>
        <Link to="/policies/rules" search={{ project }}>
          {t('rules.back')}
        </Link>
      </StackItem>
      <StackItem>
        <LiveContent of={live}>
          {live.object ? (
            <Rule policy={wholeRule(live.object)} project={project} />
          ) : (
            <EmptyState headingLevel="h2" titleText={t('rules.gone', { name: rule })} />
          )}
        </LiveContent>
      </StackItem>
    </Stack>
  );
}

interface RuleProps {
  readonly policy: Policy;
  readonly project: string | undefined;
}

function Rule({ policy, project }: RuleProps): ReactElement {
  const { t } = useTranslation('policies');
  const { metadata, spec, status } = policy;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return (
    <Stack hasGutter>
      <StackItem>
        <Flex>
          <Title headingLevel="h2">{spec.title}</Title>
          <SeverityLabel severity={spec.severity} />
        </Flex>
        <Content component="p">
          <code>{metadata.name}</code> · {t(`level.${spec.level}`)} · {t(`enforcement.${spec.enforcement}`)}
        </Content>
        <Flex>
          <Link to="/policies/violations" search={{ project, rule: metadata.name }}>
            {t('rules.findings')}
          </Link>
          <Link to="/policies/try" search={{ project, what: 'rule', rule: metadata.name }}>
            {t('rules.try')}
          </Link>
          <Link to="/policies/try" search={{ project, what: 'judge', rule: metadata.name }}>
            {t('rules.judge')}
          </Link>
          <Link to="/policies/waivers" search={{ project, ask: metadata.name }}>
            {t('waivers.ask')}
          </Link>
        </Flex>
      </StackItem>
      {ready?.status === 'False' && (
        <StackItem>
          <Alert variant="danger" isInline component="h3" title={t('rules.broken')}>
            {ready.message}
          </Alert>
        </StackItem>
      )}
      <StackItem>
        <RuleFacts policy={policy} />
      </StackItem>
      <StackItem>
        <RuleExpressions policy={policy} />
      </StackItem>
      <StackItem>
        <RuleExamples rule={metadata.name} project={project} />
      </StackItem>
    </Stack>
  );
}
