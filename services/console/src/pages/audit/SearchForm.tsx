import { ActionGroup, Button, Form, Grid, GridItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../components/subpages/Choice.js';
import { TextField } from '../../components/subpages/TextField.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import { FIELDS, USUAL_WINDOW, WINDOWS } from './audit-search.js';
import { fromLocal, toLocal } from './local-time.js';

const TEXTS = ['user', 'verb', 'resource', 'name', 'traceId'] as const;
const DECISIONS = ['allowed', 'denied'] as const;

type Fields = Readonly<Record<string, string | undefined>>;

/** What entries are looked for by; counts once it is sent. */
export function SearchForm(): ReactElement {
  const { t } = useTranslation('audit');
  const { form, setForm, send } = useForm();
  return (
    <Form
      role="search"
      aria-label={t('search.label')}
      onSubmit={(event) => {
        event.preventDefault();
        send(form);
      }}
    >
      <SearchFields form={form} onChange={(name, value) => setForm({ ...form, [name]: value })} />
      <ActionGroup>
        <Button type="submit">{t('search.submit')}</Button>
        <Button
          variant="link"
          onClick={() => {
            setForm({});
            send({});
          }}
        >
          {t('search.clear')}
        </Button>
      </ActionGroup>
    </Form>
  );
}

interface UsedForm {
  readonly form: Fields;
  readonly setForm: (form: Fields) => void;
  /** Puts into the URL what entries are to be looked for by. */
  readonly send: (form: Fields) => void;
}

/** What is filled in: it goes when the URL says something else by other means, as after going back. */
function useForm(): UsedForm {
  const [state, setView] = useViewState();
  const [form, setForm] = useState<Fields>(state);
  const now = wordsOf(state);
  const [known, setKnown] = useState(now);
  // The URL takes its time to say what was sent: what is typed meanwhile stays.
  const [sent, setSent] = useState<string>();
  if (now !== known) {
    setKnown(now);
    setSent(undefined);
    if (now !== sent) setForm(state);
  }
  const send = (next: Fields): void => {
    const stated = statedOf(next);
    setSent(wordsOf(stated));
    setView({ ...stated, page: undefined });
  };
  return { form, setForm, send };
}

/** Pure. */
function statedOf({ window, until, ...texts }: Fields): Fields {
  const stated = Object.fromEntries(FIELDS.map((name) => [name, texts[name]?.trim()]));
  return { ...stated, until, window: window === USUAL_WINDOW ? undefined : window };
}

/** All fields in one text, to tell one search from another. Pure. */
function wordsOf(fields: Fields): string {
  return JSON.stringify([...FIELDS, 'window', 'until'].map((name) => fields[name] ?? ''));
}

interface SearchFieldsProps {
  readonly form: Fields;
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
      <GridItem>
        <TextField
          label={t('search.until')}
          type="datetime-local"
          help={t('search.untilHelp')}
          value={toLocal(form['until'])}
          onChange={(value) => onChange('until', fromLocal(value))}
        />
      </GridItem>
    </Grid>
  );
}
