import { Card, CardBody, CardTitle, ClipboardCopy, Content, Flex, FlexItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiText } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { DownloadButton } from '../access/DownloadButton.js';
import { useCluster } from '../cluster-context.js';
import { isTrue } from '../conditions.js';
import { useClusterKey } from '../use-cluster-key.js';

/** The ways into the cluster itself. */
export function Access(): ReactElement {
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  const { status, metadata } = useCluster();
  const isUp = isTrue(status?.conditions, 'ControlPlaneReady') && metadata.deletionTimestamp === undefined;
  return (
    <Card>
      <CardTitle component="h2">{t('access.title')}</CardTitle>
      <CardBody>
        <Content component="p">{t('access.body')}</Content>
        <Flex>
          <DownloadButton
            fileName={`${name}.kubeconfig`}
            mediaType="application/yaml"
            needs={{ verb: 'get', kind: KINDS.cluster, subresource: 'kubeconfig' }}
            refusal={isUp ? undefined : t('access.notUp')}
            load={() => apiText(objectPath(KINDS.cluster, name, project, 'kubeconfig'), { accept: 'application/yaml' })}
          >
            {t('access.download')}
          </DownloadButton>
          <FlexItem grow={{ default: 'grow' }}>
            <ClipboardCopy
              isReadOnly
              isCode
              hoverTip={t('common:copy.copy')}
              clickTip={t('common:copy.copied')}
              textAriaLabel={t('access.command')}
            >
              {`crate clusters kubeconfig ${name} -n ${project} -O ${name}.kubeconfig`}
            </ClipboardCopy>
          </FlexItem>
        </Flex>
      </CardBody>
    </Card>
  );
}
