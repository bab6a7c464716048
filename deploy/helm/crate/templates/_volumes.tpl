{{/* What is mounted below /run/crate, of (list root service): directory by name, each with the volume's source. */}}
{{- define "crate.mounted" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- range $kind := list "credentials" "keys" "encryption" }}
{{ $kind }}: { secret: { secretName: {{ include "crate.secretName" (list $root $service $kind) }}, defaultMode: 0440 } }
{{- end }}
trust: { secret: { secretName: {{ include "crate.trustSecret" $root }}, defaultMode: 0444 } }
{{- if eq (include "crate.natsTls" $root) "true" }}
nats-tls: { secret: { secretName: {{ include "crate.natsTlsSecret" $root }}, defaultMode: 0444, items: [{ key: ca.crt, path: ca.crt }] } }
{{- if $root.Values.messaging.clientCertificates }}
nats-client: { secret: { secretName: {{ include "crate.fullname" $root }}-{{ $service }}-nats-client, defaultMode: 0440 } }
{{- end }}
{{- end }}
{{- with include "crate.databaseCaSecret" $root }}
database-ca: { secret: { secretName: {{ . }}, defaultMode: 0444, items: [{ key: ca.crt, path: ca.crt }] } }
{{- end }}
{{- if and $root.Values.tracing.endpoint $root.Values.tracing.headersSecret }}
telemetry: { secret: { secretName: {{ $root.Values.tracing.headersSecret }}, defaultMode: 0440 } }
{{- end }}
{{- if eq $service "lifecycle" }}
tls: { secret: { secretName: {{ include "crate.apiTlsSecret" $root }}, defaultMode: 0440 } }
{{- if $root.Values.components.enabled }}
cluster: { projected: { defaultMode: 0440, sources: [{ serviceAccountToken: { path: token, expirationSeconds: 3600 } }, { configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] } }] } }
{{- end }}
{{- if $root.Values.lifecycle.issuers }}
authentication: { configMap: { name: {{ include "crate.fullname" $root }}-issuers } }
{{- end }}
{{- with $root.Values.lifecycle.issuersSecret }}
issuers: { secret: { secretName: {{ . }}, defaultMode: 0440 } }
{{- end }}
{{- end }}
{{- if and (eq $service "cluster-mgmt") $root.Values.inCluster.enabled }}
cluster:
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { path: token, expirationSeconds: 3600 }
      - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- if and (eq $service "policy-mgmt") $root.Values.policyMgmt.webhook.enabled }}
webhook-tls: { secret: { secretName: {{ include "crate.webhookTlsSecret" $root }}, defaultMode: 0440 } }
{{- with and $root.Values.policyMgmt.webhook.verifyClients $root.Values.policyMgmt.webhook.clientCaSecret }}
webhook-clients: { secret: { secretName: {{ . }}, defaultMode: 0444, items: [{ key: ca.crt, path: ca.crt }] } }
{{- end }}
{{- end }}
{{- end -}}

{{- define "crate.volumes" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $values := index $root.Values (include "crate.valuesKey" $service) -}}
{{- range $name, $source := include "crate.mounted" . | fromYaml }}
- name: {{ $name }}
  {{- toYaml $source | nindent 2 }}
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
{{- if eq $service "cluster-mgmt" }}
- name: shm
  emptyDir: { medium: Memory, sizeLimit: {{ $values.sharedMemory }} }
{{- end }}
{{- if not $root.Values.persistence.enabled }}
- name: data
  emptyDir: { sizeLimit: {{ $values.persistence.size }} }
{{- end }}
{{- with $values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "crate.volumeMounts" -}}
{{- $service := index . 1 -}}
{{- range $name, $source := include "crate.mounted" . | fromYaml }}
- { name: {{ $name }}, mountPath: /run/crate/{{ $name }}, readOnly: true }
{{- end }}
- { name: data, mountPath: /var/lib/crate }
- { name: tmp, mountPath: /tmp }
{{- if eq $service "cluster-mgmt" }}
- { name: shm, mountPath: /dev/shm }
{{- end }}
{{- with (index (index . 0).Values (include "crate.valuesKey" $service)).extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
