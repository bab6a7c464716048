import {
  Alert,
  ClipboardCopyButton,
  CodeBlock,
  CodeBlockAction,
  CodeBlockCode,
  Title,
  ToggleGroup,
  ToggleGroupItem,
} from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { commandOf, placeholdersOf, TOOLS, type Tool } from './commands.js';
import type { Draft } from './draft.js';

/** The same from a terminal, to be copied. */
export function CopyAs({ draft }: { readonly draft: Draft }): ReactElement {
  const { t } = useTranslation('create');
  const { t: tCommon } = useTranslation();
  const [tool, setTool] = useState<Tool>('kubectl');
  const [copied, setCopied] = useState<string>();
  const [isRefused, setRefused] = useState(false);
  const command = commandOf(tool, draft);
  const missing = placeholdersOf(draft);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      setCopied(command);
      setRefused(false);
    } catch {
      // Browsers ask the person, and have no clipboard at all for a page without TLS.
      setRefused(true);
    }
  };
  return (
    <section aria-labelledby="copy-as">
      <Title id="copy-as" headingLevel="h2" size="lg">
        {t('copyAs')}
      </Title>
      <ToggleGroup aria-labelledby="copy-as">
        {TOOLS.map((each) => (
          <ToggleGroupItem key={each} text={each} isSelected={each === tool} onChange={() => setTool(each)} />
        ))}
      </ToggleGroup>
      {missing.length > 0 && (
        <Alert
          variant="info"
          isInline
          isPlain
          component="h3"
          title={t('copyAsMissing', { placeholders: missing.join(', '), count: missing.length })}
        />
      )}
      {isRefused && (
        <Alert variant="warning" isInline isPlain isLiveRegion component="h3" title={tCommon('copy.refused')} />
      )}
      <CodeBlock
        actions={
          <CodeBlockAction>
            <ClipboardCopyButton
              id="copy-command"
              variant="plain"
              aria-label={tCommon('copy.copy')}
              onClick={() => void copy()}
            >
              {tCommon(copied === command ? 'copy.copied' : 'copy.copy')}
            </ClipboardCopyButton>
          </CodeBlockAction>
        }
      >
        <CodeBlockCode
          id="command"
          className="crate-create-command"
          tabIndex={0}
          role="region"
          aria-label={t('command')}
        >
          {command}
        </CodeBlockCode>
      </CodeBlock>
    </section>
  );
}
