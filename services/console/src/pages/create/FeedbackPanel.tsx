import { Alert, Button, Card, CardBody, CardTitle, List, ListItem, Spinner } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Cause } from '../../api/api-error.js';
import { byTopic, TOPICS } from './consequences.js';
import { useCreate } from './create-context.js';
import { stepOf, type StepName } from './steps.js';
import { isAddressed } from './use-judgement.js';

/** What the draft would lead to, as the server says: nodes, quota, cost, policies; or what stands against it. */
export function FeedbackPanel({ onStep }: { readonly onStep: (step: StepName) => void }): ReactElement {
  const { t } = useTranslation('create');
  const { live } = useCreate();
  return (
    <Card isCompact className="crate-create-feedback" role="region" aria-label={t('feedback.title')} tabIndex={0}>
      <CardTitle component="h2">
        {t('feedback.title')} {live.isAsking && <Spinner size="sm" aria-label={t('asking')} />}
      </CardTitle>
      <CardBody>
        <div role="status" aria-busy={live.isAsking}>
          <Answer onStep={onStep} />
        </div>
      </CardBody>
    </Card>
  );
}

function Answer({ onStep }: { readonly onStep: (step: StepName) => void }): ReactElement {
  const { t } = useTranslation('create');
  const { draft, live } = useCreate();
  const { judgement, error, ask } = live;
  if (!isAddressed(draft)) return <p>{t('feedback.nameFirst')}</p>;
  if (error) {
    return (
      <Alert isInline component="h3" variant="warning" title={t('feedback.unknown')}>
        {error.message}{' '}
        <Button variant="link" isInline onClick={ask}>
          {t('feedback.retry')}
        </Button>
      </Alert>
    );
  }
  if (!judgement) return <p>{t('asking')}</p>;
  if (!judgement.isAllowed) return <Objections causes={judgement.causes} onStep={onStep} />;
  const topics = byTopic(judgement.warnings);
  return (
    <>
      <Alert isInline isPlain component="h3" variant="success" title={t('feedback.allowed')} />
      {TOPICS.filter((topic) => topics.has(topic)).map((topic) => (
        <section key={topic} aria-label={t(`topic.${topic}`)}>
          <h3>{t(`topic.${topic}`)}</h3>
          <List isPlain>
            {topics.get(topic)?.map((text) => (
              <ListItem key={text}>{text}</ListItem>
            ))}
          </List>
        </section>
      ))}
    </>
  );
}

interface ObjectionsProps {
  readonly causes: readonly Cause[];
  readonly onStep: (step: StepName) => void;
}

function Objections({ causes, onStep }: ObjectionsProps): ReactElement {
  const { t } = useTranslation('create');
  return (
    <>
      <p>{t('feedback.refused', { count: causes.length })}</p>
      <List>
        {causes.map(({ field, message }) => (
          <ListItem key={`${field ?? ''} ${message}`}>
            {field !== undefined && (
              <Button variant="link" isInline onClick={() => onStep(stepOf(field))}>
                {field}
              </Button>
            )}{' '}
            {message}
          </ListItem>
        ))}
      </List>
    </>
  );
}
