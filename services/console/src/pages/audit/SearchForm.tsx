import { ActionGroup, Button, Form, Grid, GridItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../components/subpages/Choice.js';
import { TextField } from '../../components/subpages/TextField.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import { FIELDS, USUAL_WINDOW, WINDOWS } from './audit-search.js';

const TEXTS = ['user', 'verb', 'resource', 'name', 'traceId'] as const;
const DECISIONS = ['allowed', 'denied'] as const;
const NOTHING = Object.fromEntries([...FIELDS, 'window', 'page'].map((name) => [name, undefined]));

/** What entries are looked for by; counts once it is sent. */
export function SearchForm(): ReactElement {
  const { t } = useTranslation('audit');
  const [state, setView] = useViewState();
  const [form, setForm] = useState(state);
  const set = (name: string) => (value: string) => setForm({ ...form, [name]: value });
  const { window = USUAL_WINDOW, decision = '' } = form;
  return (
    <Form
      role="search"
      aria-label={t('search.label')}
      onSubmit={(event) => {
        event.preventDefault();
        const stated = Object.fromEntries(FIELDS.map((name) => [name, form[name]?.trim()]));
        setView({ ...stated, window: window === USUAL_WINDOW ? undefined : window, page: undefined });
      }}
    >
      <Grid hasGutter sm={6} lg={3}>
        {TEXTS.map((name) => (
          <GridItem key={name}>
            <TextField
              label={t(`search.${name}`)}
              value={form[name] ?? ''}
              onChange={set(name)}
              {...(name === 'resource' ? { help: t('search.resourceHelp') } : {})}
            />
          </GridItem>
        ))}
        <GridItem>
          <Choice
            label={t('search.decision')}
            value={decision}
            options={[
              { value: '', text: t('search.any') },
              ...DECISIONS.map((value) => ({ value, text: t(`search.${value}`) })),
            ]}
            onChange={set('decision')}
          />
        </GridItem>
        <GridItem>
          <Choice
            label={t('search.window')}
            value={window}
            options={Object.keys(WINDOWS).map((value) => ({ value, text: t(`search.windows.${value}`) }))}
            onChange={set('window')}
          />
        </GridItem>
      </Grid>
      <ActionGroup>
        <Button type="submit">{t('search.submit')}</Button>
        <Button variant="link" onClick={() => setView(NOTHING)}>
          {t('search.clear')}
        </Button>
      </ActionGroup>
    </Form>
  );
}
