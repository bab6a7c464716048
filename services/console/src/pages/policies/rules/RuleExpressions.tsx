import type { Policy } from '@crate/api';
import { Card, CardBody, CardTitle, CodeBlock, CodeBlockCode, Stack, StackItem, Title } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** The expressions of a rule, in the order in which they are asked. */
export function RuleExpressions({ policy: { spec } }: { readonly policy: Policy }): ReactElement {
  const { t } = useTranslation('policies');
  const { matchConditions, variables, params, validations } = spec;
  return (
    <Card>
      <CardTitle component="h3">{t('rules.cel')}</CardTitle>
      <CardBody>
        <Stack hasGutter>
          {matchConditions.length > 0 && (
            <Expressions title={t('rules.conditions')} lines={matchConditions.map(({ expression }) => expression)} />
          )}
          {Object.keys(params).length > 0 && (
            <Expressions title={t('rules.params')} lines={[JSON.stringify(params, undefined, 2)]} />
          )}
          {variables.length > 0 && (
            <Expressions
              title={t('rules.variables')}
              lines={variables.map(({ name, expression }) => `${name} = ${expression}`)}
            />
          )}
          {validations.map(({ forEach, when, expression, field }, index) => (
            <Expressions
              // Validations have no names.
              key={index}
              title={field ?? `validations[${index}]`}
              lines={[
                ...(forEach === undefined ? [] : [`${t('rules.forEach')}: ${forEach}`]),
                ...(when === undefined ? [] : [`${t('rules.when')}: ${when}`]),
                expression,
              ]}
            />
          ))}
        </Stack>
      </CardBody>
    </Card>
  );
}

interface ExpressionsProps {
  readonly title: string;
  readonly lines: readonly string[];
}

function Expressions({ title, lines }: ExpressionsProps): ReactElement {
  return (
    <StackItem>
      <Title headingLevel="h4" size="md">
        {title}
      </Title>
      <CodeBlock>
        <CodeBlockCode>{lines.join('\n')}</CodeBlockCode>
      </CodeBlock>
    </StackItem>
  );
}
