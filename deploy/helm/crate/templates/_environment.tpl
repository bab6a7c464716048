{{/* Variables that are the same in every service, of (list root service). */}}
{{- define "crate.commonEnvironment" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $values := $root.Values -}}
HOME: /tmp
CRATE_LOG_LEVEL: {{ $values.logLevel }}
{{- /* A process that ends by itself says why; one that is killed leaves behind what it had started. */}}
CRATE_STOP_MS: {{ sub (index $values (include "crate.valuesKey" $service)).terminationGracePeriodSeconds 10 }}s
CRATE_DATABASE_URL_FILE: /run/crate/credentials/database-url
CRATE_DATABASE_POOL_SIZE: {{ $values.database.poolSize | quote }}
CRATE_NATS_URL: {{ include "crate.natsUrl" $root }}
CRATE_NATS_USER: {{ $service }}
CRATE_NATS_PASSWORD_FILE: /run/crate/credentials/nats-password
{{- if eq (include "crate.natsTls" $root) "true" }}
CRATE_NATS_TLS_CA_FILE: /run/crate/nats-tls/ca.crt
{{- if $values.messaging.clientCertificates }}
CRATE_NATS_TLS_CERTIFICATE_FILE: /run/crate/nats-client/tls.crt
CRATE_NATS_TLS_KEY_FILE: /run/crate/nats-client/tls.key
{{- end }}
{{- end }}
CRATE_KEYS_PRIVATE_DIR: /run/crate/keys
CRATE_KEYS_TRUST_DIR: /run/crate/trust
CRATE_ENCRYPTION_KEYS_DIR: /run/crate/encryption
{{- if $values.persistence.enabled }}
CRATE_RECOVERY_MARKER_FILE: /var/lib/crate/memory.json
{{- end }}
CRATE_HEALTH_HOST: {{ $values.listenAddress | quote }}
CRATE_HEALTH_PORT: "8080"
{{- with $values.tracing }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint }}
OTEL_TRACES_SAMPLER: parentbased_traceidratio
OTEL_TRACES_SAMPLER_ARG: {{ .sampleRatio | quote }}
{{- if .headersSecret }}
OTEL_EXPORTER_OTLP_HEADERS_FILE: /run/crate/telemetry/otlp-headers
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "crate.environment.lifecycle" -}}
{{- $values := .Values.lifecycle -}}
CRATE_API_HOST: {{ .Values.listenAddress | quote }}
CRATE_API_PORT: "6440"
{{- /* Proxies of nodes and load balancers go on sending until they hear that the pod is not ready. */}}
CRATE_STOP_DELAY_MS: 10s
CRATE_ADD_ONS_DIR: /opt/crate/add-ons
CRATE_CONSOLE_DIR: /opt/crate/console
CRATE_API_TLS_CERTIFICATE_FILE: /run/crate/tls/tls.crt
CRATE_API_TLS_KEY_FILE: /run/crate/tls/tls.key
{{- with $values.trustedProxies }}
CRATE_API_TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
{{- if $values.issuers }}
CRATE_AUTHENTICATION_ISSUERS_FILE: /run/crate/authentication/issuers.yaml
{{- end }}
{{- if .Values.components.enabled }}
CRATE_COMPONENTS_KUBERNETES_HOST: "$(KUBERNETES_SERVICE_HOST)"
CRATE_COMPONENTS_KUBERNETES_PORT: "$(KUBERNETES_SERVICE_PORT)"
CRATE_COMPONENTS_KUBERNETES_NAMESPACE: {{ .Release.Namespace }}
CRATE_COMPONENTS_KUBERNETES_FULLNAME: {{ include "crate.fullname" . }}
CRATE_COMPONENTS_KUBERNETES_ACCESS_DIR: /run/crate/cluster
{{- end }}
{{- $host := and .Values.ingress.enabled .Values.ingress.host -}}
{{- with default (ternary (printf "https://%s" $host) "" (not (empty $host))) $values.consoleUrl }}
CRATE_CONSOLE_URL: {{ . | quote }}
{{- end }}
{{- if .Values.inCluster.enabled }}
CRATE_IN_CLUSTER_ENABLED: "true"
CRATE_IN_CLUSTER_PROJECT: {{ .Values.inCluster.project }}
CRATE_IN_CLUSTER_NAME: {{ .Values.inCluster.name }}
{{- end }}
{{- end -}}

{{- define "crate.environment.cloud-mgmt" -}}
CRATE_WORKSPACES_DIR: /var/lib/crate/workspaces
{{- with .Values.cloudMgmt.managementCidrs }}
CRATE_MANAGEMENT_CIDRS: {{ join "," . | quote }}
{{- end }}
{{- end -}}

{{- define "crate.environment.cluster-mgmt" -}}
CRATE_WORKSPACES_DIR: /var/lib/crate/workspaces
{{- if .Values.inCluster.enabled }}
CRATE_IN_CLUSTER_ENABLED: "true"
CRATE_IN_CLUSTER_SERVER: {{ .Values.inCluster.server }}
CRATE_IN_CLUSTER_TOKEN_FILE: /run/crate/cluster/token
CRATE_IN_CLUSTER_CA_FILE: /run/crate/cluster/ca.crt
{{- end }}
{{- end -}}

{{- define "crate.environment.policy-mgmt" -}}
{{- $values := .Values.policyMgmt -}}
{{- with $values.packArtifacts }}
CRATE_PACKS_ARTIFACTS: {{ join "," . | quote }}
{{- end }}
{{- if $values.webhook.enabled }}
CRATE_WEBHOOK_HOST: {{ .Values.listenAddress | quote }}
CRATE_WEBHOOK_PORT: "8443"
CRATE_STOP_DELAY_MS: 10s
CRATE_WEBHOOK_CERTIFICATE_FILE: /run/crate/webhook-tls/tls.crt
CRATE_WEBHOOK_KEY_FILE: /run/crate/webhook-tls/tls.key
{{- if $values.webhook.verifyClients }}
CRATE_WEBHOOK_CLIENT_CA_FILE: /run/crate/{{ ternary "webhook-clients" "webhook-tls" (ne $values.webhook.clientCaSecret "") }}/ca.crt
{{- end }}
{{- end }}
{{- end -}}

{{/* All variables of (list root service), by name; what the values say wins. */}}
{{- define "crate.environment" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $own := (index $root.Values (include "crate.valuesKey" $service)).env -}}
{{- if hasKey $own "CRATE_SANDBOX_URL" -}}
{{- fail "CRATE_SANDBOX_URL: the sandbox is for evaluation, and no part of an installation in a cluster" -}}
{{- end -}}
{{- $common := include "crate.commonEnvironment" . | fromYaml -}}
{{- $specific := include (printf "crate.environment.%s" $service) $root | fromYaml -}}
{{- range $name, $value := mergeOverwrite $common $specific $own }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}
