import { useCallback, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTheme } from '../../app/theme.js';
import { addStrings } from '../../i18n/index.js';
import strings from '../../i18n/en/yaml-editor.json' with { type: 'json' };
import { drawDiff } from './diff-view.js';
import type { YamlDiffProps } from './yaml-editor-props.js';

addStrings('yamlEditor', strings);

const ROOM_FOR_TWO = '(min-width: 62rem)';

/** The comparison itself. */
export function LoadedYamlDiff({ before, after, ariaLabel, layout }: YamlDiffProps): ReactElement {
  const { t } = useTranslation('yamlEditor');
  const [theme] = useTheme();
  const draw = useCallback(
    (host: HTMLElement | null) =>
      host
        ? drawDiff(host, {
            before,
            after,
            isSplit: layout === undefined ? matchMedia(ROOM_FOR_TWO).matches : layout === 'split',
            isDark: theme === 'dark',
            labels: { before: t('diff.before', { ariaLabel }), after: t('diff.after', { ariaLabel }) },
            phrases: { '$ unchanged lines': t('diff.unchanged') },
          })
        : undefined,
    [before, after, ariaLabel, layout, theme, t],
  );
  if (before === after) return <p>{t('diff.same')}</p>;
  return <div ref={draw} role="group" aria-label={ariaLabel} />;
}
