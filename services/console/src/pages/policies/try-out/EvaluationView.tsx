import type { PolicyEvaluation } from '@crate/api';
import {
  Alert,
  CodeBlock,
  CodeBlockCode,
  List,
  ListItem,
  Stack,
  StackItem,
  Title,
  type AlertProps,
} from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const VARIANT: Readonly<Record<PolicyEvaluation['result'], NonNullable<AlertProps['variant']>>> = {
  pass: 'success',
  fail: 'danger',
  error: 'danger',
  skip: 'info',
  unmatched: 'info',
};

/** What a rule made of a document: what it objects to, and the values that decided. */
export function EvaluationView({ evaluation }: { readonly evaluation: PolicyEvaluation }): ReactElement {
  const { t } = useTranslation('policies');
  const { result, violations, mismatches, reasons } = evaluation;
  const lines = [...violations.map(({ field, message }) => `${field}: ${message}`), ...mismatches];
  return (
    <Stack hasGutter>
      <StackItem>
        <Alert variant={VARIANT[result]} isInline isLiveRegion component="h2" title={t(`try.result.${result}`)}>
          {lines.length > 0 && (
            <List>
              {lines.map((line, index) => (
                // Two items of a list may be objected to in the same words.
                <ListItem key={index}>{line}</ListItem>
              ))}
            </List>
          )}
        </Alert>
      </StackItem>
      {reasons.map(({ place, expression, values }) => (
        <StackItem key={place}>
          <Title headingLevel="h3" size="md">
            {t('try.reason', { place })}
          </Title>
          <CodeBlock>
            <CodeBlockCode>
              {[expression, ...values.map(({ source, shown }) => `  ${source} = ${shown}`)].join('\n')}
            </CodeBlockCode>
          </CodeBlock>
        </StackItem>
      ))}
    </Stack>
  );
}
