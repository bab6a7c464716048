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
  const search = (): void => {
    const stated = Object.fromEntries(FIELDS.map((name) => [name, form[name]?.trim()]));
    const { window } = form;
    setView({ ...stated, window: window === USUAL_WINDOW ? undefined : window, page: undefined });
  };
  return (
    <Form
      role="search"
      aria-label={t('search.label')}
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <SearchFields form={form} onChange={(name, value) => setForm({ ...form, [name]: value })} />
      <ActionGroup>
        <Button type="submit">{t('search.submit')}</Button>
        <Button
          variant="link"
          onClick={() => {
            setForm({});
            setView(NOTHING);
          }}
        >
          {t('search.clear')}
        </Button>
      </ActionGroup>
    </Form>
  );
}

interface SearchFieldsProps {
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly onChange: (name: string, value: string) => void;
}

function SearchFields({ form, onChange }: SearchFieldsProps): ReactElement {
  const { t } = useTranslation('audit');
  const decisions = DECISIONS.map((value) => ({ value, text: t(`search.${value}`) }));
  return (
    <Grid hasGutter sm={6} lg={3}>
      {TEXTS.map((name) => (
        <GridItem key={name}>
          <TextField
            label={t(`search.${name}`)}
            value={form[name] ?? ''}
            onChange={(value) => onChange(name, value)}
            {...(name === 'resource' ? { help: t('search.resourceHelp') } : {})}
          />
        </GridItem>
      ))}
      <GridItem>
        <Choice
          label={t('search.decision')}
          value={form['decision'] ?? ''}
          options={[{ value: '', text: t('search.any') }, ...decisions]}
          onChange={(value) => onChange('decision', value)}
        />
      </GridItem>
      <GridItem>
        <Choice
          label={t('search.window')}
          value={form['window'] ?? USUAL_WINDOW}
          options={Object.keys(WINDOWS).map((value) => ({ value, text: t(`search.windows.${value}`) }))}
          onChange={(value) => onChange('window', value)}
        />
      </GridItem>
    </Grid>
  );
}
