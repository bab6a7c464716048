import type { PolicyExampleDocument } from '@crate/api';
import {
  Card,
  CardBody,
  CardTitle,
  CodeBlock,
  CodeBlockCode,
  ExpandableSection,
  Label,
  Stack,
  StackItem,
} from '@patternfly/react-core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { stringify } from 'yaml';
import { ErrorState } from '../../../components/ErrorState.js';
import { useRuleExamples } from '../rule-examples.js';

interface RuleExamplesProps {
  readonly rule: string;
  /** Of the URL, which leads on to it. */
  readonly project: string | undefined;
}

/** Documents that a rule objects to and accepts; each can be tried, and changed. */
export function RuleExamples({ rule, project }: RuleExamplesProps): ReactElement {
  const { t } = useTranslation('policies');
  const { data, error, refetch } = useRuleExamples(rule);
  return (
    <Card>
      <CardTitle component="h3">{t('examples.title')}</CardTitle>
      <CardBody>
        {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data?.items.length === 0 && <p>{t('examples.none')}</p>}
        <Stack hasGutter>
          {data?.items.map((example, index) => (
            <StackItem key={index}>
              <Example rule={rule} project={project} example={example} index={index} />
            </StackItem>
          ))}
        </Stack>
      </CardBody>
    </Card>
  );
}

interface ExampleProps extends RuleExamplesProps {
  readonly example: PolicyExampleDocument;
  readonly index: number;
}

function Example({ rule, project, example, index }: ExampleProps): ReactElement {
  const { t } = useTranslation('policies');
  const { expected, title, field, message, document } = example;
  const number = { number: index + 1 };
  const at = [field, message].filter((part) => part !== undefined).join(': ');
  return (
    <>
      <Label isCompact status={expected === 'pass' ? 'success' : 'danger'}>
        {t(`examples.${expected}`)}
      </Label>{' '}
      {title ?? t('examples.untitled', number)}
      {at !== '' && (
        <>
          {' '}
          <code>{at}</code>
        </>
      )}{' '}
      <Link
        to="/policies/try"
        search={{ project, what: 'judge', rule, example: index }}
        aria-label={t('examples.tryOf', number)}
      >
        {t('examples.try')}
      </Link>
      <ExpandableSection toggleText={t('examples.show')} toggleAriaLabel={t('examples.showOf', number)}>
        <CodeBlock>
          <CodeBlockCode>{stringify(document)}</CodeBlockCode>
        </CodeBlock>
      </ExpandableSection>
    </>
  );
}
