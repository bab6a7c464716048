{{- define "crate.ports" -}}
- { name: metrics, containerPort: 8080 }
{{- if eq (index . 1) "lifecycle" }}
- { name: api, containerPort: 6440 }
{{- end }}
{{- if and (eq (index . 1) "policy-mgmt") (index . 0).Values.policyMgmt.webhook.enabled }}
- { name: webhook, containerPort: 8443 }
{{- end }}
{{- end -}}

{{- define "crate.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 5
  failureThreshold: {{ div .Values.probes.startSeconds 5 }}
livenessProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: {{ .Values.probes.liveSeconds }}
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: {{ .Values.probes.readySeconds }}
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}

{{/* What a new pod is needed for when it changes, of (list root service). */}}
{{- define "crate.podAnnotations" -}}
{{- $root := index . 0 -}}
{{- if and (eq (index . 1) "lifecycle") $root.Values.lifecycle.issuers }}
checksum/issuers: {{ toYaml $root.Values.lifecycle.issuers | sha256sum }}
{{- end }}
{{- with (index $root.Values (include "crate.valuesKey" (index . 1))).podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The pods of (list root service). */}}
{{- define "crate.podTemplate" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $values := index $root.Values (include "crate.valuesKey" $service) -}}
metadata:
  labels:
    {{- include "crate.selectorLabels" . | nindent 4 }}
    app.kubernetes.io/part-of: crate
    {{- with $root.Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with include "crate.podAnnotations" . | trim }}
  annotations:
    {{- . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "crate.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "crate.podSecurityContext" $root | nindent 4 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "crate.spread" . }}
  topologySpreadConstraints:
    {{- . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ $service }}
      image: {{ include "crate.image" . }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        {{- include "crate.containerSecurityContext" $root | nindent 8 }}
      env:
        {{- include "crate.environment" . | trim | nindent 8 }}
      ports:
        {{- include "crate.ports" . | nindent 8 }}
      {{- include "crate.probes" $root | nindent 6 }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        {{- include "crate.volumeMounts" . | trim | nindent 8 }}
  volumes:
    {{- include "crate.volumes" . | trim | nindent 4 }}
{{- end -}}
