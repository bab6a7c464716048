import { Button, HelperText, HelperTextItem, List, ListItem } from '@patternfly/react-core';
import { useCallback, useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTheme } from '../../app/theme.js';
import { addStrings } from '../../i18n/index.js';
import strings from '../../i18n/en/yaml-editor.json' with { type: 'json' };
import type { YamlEditorProps } from './yaml-editor-props.js';
import { YamlView, type LinedProblem } from './yaml-view.js';

addStrings('yamlEditor', strings);

const NOTHING: NonNullable<YamlEditorProps['diagnostics']> = [];
const nobody = (): void => undefined;

/** The editor itself, with what is wrong in words below it. */
export function LoadedYamlEditor(props: YamlEditorProps): ReactElement {
  const { value, onChange = nobody, schema, readOnly = false, diagnostics = NOTHING, ariaLabel } = props;
  const { t } = useTranslation('yamlEditor');
  const [theme] = useTheme();
  const [problems, setProblems] = useState<readonly LinedProblem[]>([]);
  const [view, mount] = useYamlView();
  useEffect(() => view?.setText(value), [view, value]);
  useEffect(() => {
    const isDark = theme === 'dark';
    const options = { schema, diagnostics, readOnly, isDark, label: ariaLabel, t, onChange, onProblems: setProblems };
    view?.configure(options);
  }, [view, schema, diagnostics, readOnly, theme, ariaLabel, t, onChange]);
  return (
    <div>
      <div ref={mount} />
      {!readOnly && (
        <HelperText>
          <HelperTextItem>{t('keys')}</HelperTextItem>
        </HelperText>
      )}
      <Problems problems={problems} onGo={(problem) => view?.goTo(problem)} />
    </div>
  );
}

function useYamlView(): readonly [YamlView | undefined, (host: HTMLElement | null) => (() => void) | undefined] {
  const [view, setView] = useState<YamlView>();
  const mount = useCallback((host: HTMLElement | null) => {
    if (!host) return undefined;
    const made = new YamlView(host);
    setView(made);
    return () => {
      made.destroy();
      setView(undefined);
    };
  }, []);
  return [view, mount];
}

interface ProblemsProps {
  readonly problems: readonly LinedProblem[];
  readonly onGo: (problem: LinedProblem) => void;
}

const VARIANTS = { error: 'error', warning: 'warning', info: 'indeterminate' } as const;

function Problems({ problems, onGo }: ProblemsProps): ReactElement {
  const { t } = useTranslation('yamlEditor');
  return (
    <div role="status">
      {problems.length > 0 && (
        <List isPlain aria-label={t('problems', { count: problems.length })}>
          {problems.map((problem) => (
            <ListItem key={`${problem.from} ${problem.message}`}>
              <HelperText>
                <HelperTextItem variant={VARIANTS[problem.severity]}>
                  <Button variant="link" isInline onClick={() => onGo(problem)}>
                    {t('line', { line: problem.line })}
                  </Button>{' '}
                  {problem.message}
                </HelperTextItem>
              </HelperText>
            </ListItem>
          ))}
        </List>
      )}
    </div>
  );
}
