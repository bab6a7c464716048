{{/* Names of all services, as a YAML list in the order they start: who has a role in the database and a user of NATS. */}}
{{- define "crate.allServices" -}}
[policy-mgmt, cloud-mgmt, cluster-mgmt, lifecycle]
{{- end -}}

{{/* Names of the services that run: who looks after the cluster that it runs in needs no cloud. */}}
{{- define "crate.services" -}}
{{- ternary "[policy-mgmt, cluster-mgmt, lifecycle]" (include "crate.allServices" .) .Values.inCluster.enabled -}}
{{- end -}}

{{/* Where the values of a service are: cloud-mgmt has cloudMgmt. */}}
{{- define "crate.valuesKey" -}}
{{- regexReplaceAll "-mgmt$" . "Mgmt" -}}
{{- end -}}

{{- define "crate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select pods, of (list root service); they never change. */}}
{{- define "crate.selectorLabels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of an object, of (list root service); the service may be "". */}}
{{- define "crate.labels" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{ include "crate.selectorLabels" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: crate
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The StatefulSet of (list root service) as it is in the cluster, as JSON; nothing in it where there is none, or no cluster to look into. */}}
{{- define "crate.liveSet" -}}
{{- $root := index . 0 -}}
{{- lookup "apps/v1" "StatefulSet" $root.Release.Namespace (printf "%s-%s" (include "crate.fullname" $root) (index . 1)) | toJson -}}
{{- end -}}

{{/* "true" where the image of (list root service) is one that lifecycle has set, and nobody else since. */}}
{{- define "crate.isImageOfComponent" -}}
{{- range dig "metadata" "managedFields" list (include "crate.liveSet" . | fromJson) -}}
{{- if and (eq .manager "crate-components") (contains "\"f:image\"" (toJson .fieldsV1)) -}}
true
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The image of (list root service). A digest that lifecycle has put behind the same tag stays: without it pods would be replaced for nothing. */}}
{{- define "crate.image" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $own := (index $root.Values (include "crate.valuesKey" $service)).image -}}
{{- $image := $root.Values.image -}}
{{- $tag := ternary (printf "@%s" $own.digest) (printf ":%s" (default $root.Chart.AppVersion $image.tag)) (ne $own.digest "") -}}
{{- $name := default (printf "crate-%s" $service) $own.name -}}
{{- $wanted := printf "%s%s" (list $image.registry $image.repository $name | compact | join "/") $tag -}}
{{- if and $root.Values.components.enabled (include "crate.isImageOfComponent" .) -}}
{{- range $container := dig "spec" "template" "spec" "containers" list (include "crate.liveSet" . | fromJson) -}}
{{- if and (eq $container.name $service) (hasPrefix (printf "%s@" $wanted) $container.image) -}}
{{- $wanted = $container.image -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $wanted -}}
{{- end -}}

{{/* Name of a Secret of (list root service kind): credentials, keys, encryption. */}}
{{- define "crate.secretName" -}}
{{- $root := index . 0 -}}
{{- $own := (index $root.Values (include "crate.valuesKey" (index . 1))).secrets -}}
{{- default (printf "%s-%s-%s" (include "crate.fullname" $root) (index . 1) (index . 2)) (index $own (index . 2)) -}}
{{- end -}}

{{- define "crate.trustSecret" -}}
{{- default (printf "%s-trust" (include "crate.fullname" .)) .Values.trustSecret -}}
{{- end -}}

{{- define "crate.apiTlsSecret" -}}
{{- default (printf "%s-api-tls" (include "crate.fullname" .)) .Values.lifecycle.tlsSecret -}}
{{- end -}}

{{- define "crate.webhookTlsSecret" -}}
{{- default (printf "%s-webhook-tls" (include "crate.fullname" .)) .Values.policyMgmt.webhook.tlsSecret -}}
{{- end -}}

{{- define "crate.serviceAccountName" -}}
{{- $root := index . 0 -}}
{{- $own := (index $root.Values (include "crate.valuesKey" (index . 1))).serviceAccount -}}
{{- default (printf "%s-%s" (include "crate.fullname" $root) (index . 1)) $own.name -}}
{{- end -}}

{{/* Name of the bundled NATS, as its chart is told. */}}
{{- define "crate.natsName" -}}
{{- required "nats.fullnameOverride is needed with bundled NATS: it is the name of its Service" .Values.nats.fullnameOverride -}}
{{- end -}}

{{/* "true" where NATS is reached by TLS. */}}
{{- define "crate.natsTls" -}}
{{- if .Values.nats.enabled -}}
{{- if .Values.messaging.tls }}true{{ end -}}
{{- else if hasPrefix "tls://" .Values.messaging.url -}}true{{- end -}}
{{- end -}}

{{- define "crate.natsUrl" -}}
{{- if .Values.nats.enabled -}}
{{- printf "%s://%s.%s.svc:4222" (ternary "tls" "nats" (eq (include "crate.natsTls" .) "true")) (include "crate.natsName" .) .Release.Namespace -}}
{{- else -}}
{{- required "messaging.url is needed: the URL of your NATS, such as tls://nats.example.com:4222; or set nats.enabled to have one run" .Values.messaging.url -}}
{{- end -}}
{{- end -}}

{{- define "crate.natsTlsSecret" -}}
{{- default (printf "%s-nats-tls" (include "crate.fullname" .)) .Values.messaging.tlsSecret -}}
{{- end -}}

{{/* What members of bundled NATS show one another. By the name that it is for: one for another name is not there, instead of not fitting. */}}
{{- define "crate.natsRoutesSecret" -}}
{{- printf "%s-routes-tls" (include "crate.natsName" .) -}}
{{- end -}}

{{- define "crate.postgresName" -}}
{{- printf "%s-postgres" (include "crate.fullname" .) -}}
{{- end -}}

{{/* Secret with username and password of the role of (list root service) in bundled PostgreSQL. */}}
{{- define "crate.postgresSecret" -}}
{{- printf "%s-%s-postgres" (include "crate.fullname" (index . 0)) (index . 1) -}}
{{- end -}}

{{/* Secret with the authority of PostgreSQL, or nothing. */}}
{{- define "crate.databaseCaSecret" -}}
{{- if .Values.database.caSecret -}}
{{- .Values.database.caSecret -}}
{{- else if .Values.postgresql.enabled -}}
{{- printf "%s-ca" (include "crate.postgresName" .) -}}
{{- end -}}
{{- end -}}

{{- define "crate.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "crate.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* How pods of (list root service) keep apart. */}}
{{- define "crate.spread" -}}
{{- $labels := include "crate.selectorLabels" . | fromYaml -}}
{{- $spread := (index . 0).Values.spread -}}
{{- $constraints := list -}}
{{- range $pair := list (list $spread.zones "topology.kubernetes.io/zone") (list $spread.nodes "kubernetes.io/hostname") -}}
{{- if ne (index $pair 0) "none" -}}
{{- $when := ternary "DoNotSchedule" "ScheduleAnyway" (eq (index $pair 0) "required") -}}
{{- $constraints = append $constraints (dict "maxSkew" 1 "topologyKey" (index $pair 1) "whenUnsatisfiable" $when "labelSelector" (dict "matchLabels" $labels)) -}}
{{- end -}}
{{- end -}}
{{- if $constraints }}{{ toYaml $constraints }}{{ end -}}
{{- end -}}

{{/* The peers of a rule that are networks; the address that hands out credentials of the machine is in none. */}}
{{- define "crate.toNetworks" -}}
{{- if . -}}
to:
{{- range . }}
  - ipBlock:
      cidr: {{ . | quote }}
      {{- if eq . "0.0.0.0/0" }}
      except: [169.254.169.254/32]
      {{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/*
Rules for (list networks ports) that may be nodes or pods of the same cluster; none without networks or ports, which would be all of them. Cilium takes a
block of addresses for what is outside of it, so everywhere is a rule without peers; but not of the port at which credentials of the machine
are handed out.
*/}}
{{- define "crate.rulesToMachines" -}}
{{- $networks := index . 0 -}}
{{- $open := list -}}
{{- $blocked := list -}}
{{- range ternary (index . 1) list (gt (len $networks) 0) | toStrings -}}
{{- if and (eq (join "," $networks) "0.0.0.0/0") (ne . "80") -}}
{{- $open = append $open . -}}
{{- else -}}
{{- $blocked = append $blocked . -}}
{{- end -}}
{{- end -}}
{{- range $rule := list (list $open list) (list $blocked $networks) }}
{{- with index $rule 0 }}
- ports:
    {{- range . }}
    - port: {{ . }}
    {{- end }}
  {{- include "crate.toNetworks" (index $rule 1) | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The ports that the addresses in (list text otherwise) name, which commas part, as JSON; of those without one it is the other, and none where that is empty. */}}
{{- define "crate.portsOf" -}}
{{- $ports := list -}}
{{- range splitList "," (index . 0) -}}
{{- $host := regexReplaceAll "^([A-Za-z]+://)?([^@/]*@)?([^/?#]*).*$" (trim .) "${3}" -}}
{{- $ports = append $ports (default (index $ 1) (regexFind ":[0-9]+$" $host | trimPrefix ":")) -}}
{{- end -}}
{{- $ports | compact | uniq | toJson -}}
{{- end -}}

{{/* The version in the tag of an image, or nothing: a tag of four numbers, or with a zero before one, is none. */}}
{{- define "crate.versionOfImage" -}}
{{- $number := "(0|[1-9][0-9]*)" -}}
{{- $word := printf "(%s|[0-9]*[-A-Za-z][-0-9A-Za-z]*)" $number -}}
{{- $version := printf ":v?%s([.]%s){2}(-%s([.]%s)*)?(@|$)" $number $number $word $word -}}
{{- regexFind $version . | trimPrefix ":" | trimSuffix "@" -}}
{{- end -}}

{{/* "true" where the first of (list version other) is older. 1.2.3-fix.1 is a build of 1.2.3, not one before it: what follows the numbers counts between builds. */}}
{{- define "crate.isOlder" -}}
{{- $version := index . 0 -}}
{{- $other := index . 1 -}}
{{- if not (and (contains "-" $version) (contains "-" $other)) -}}
{{- $version = regexFind "[0-9.]+" $version -}}
{{- $other = regexFind "[0-9.]+" $other -}}
{{- end -}}
{{- if lt ((semver $version).Compare (semver $other)) 0 -}}
true
{{- end -}}
{{- end -}}

{{/* Refuses to put an older version of (list root service) in the place of one that lifecycle installed, or an image whose version nobody can tell. Without a cluster there is nothing to look at. */}}
{{- define "crate.keepNewer" -}}
{{- $root := index . 0 -}}
{{- $service := index . 1 -}}
{{- $name := printf "%s-%s" (include "crate.fullname" $root) $service -}}
{{- $set := include "crate.liveSet" . | fromJson -}}
{{- range $container := dig "spec" "template" "spec" "containers" list $set -}}
{{- $live := include "crate.versionOfImage" $container.image -}}
{{- $image := include "crate.image" (list $root $service) -}}
{{- $own := include "crate.versionOfImage" $image -}}
{{- if and (eq $container.name $service) $live (ne $image $container.image) (include "crate.isImageOfComponent" (list $root $service)) -}}
{{- if not $own -}}
{{- fail (printf "%s has %s, which was installed by setting spec.version of its component, and this release would put %s in its place, which may be older: --set %s.image.digest= --set image.tag= takes the version of the chart; to have that image all the same, kubectl set image first" $name $live $image (include "crate.valuesKey" $service)) -}}
{{- end -}}
{{- if include "crate.isOlder" (list $own $live) -}}
{{- fail (printf "%s has %s, which was installed by setting spec.version of its component, and this release would put %s back: use the chart of %s with image.tag empty, or --set image.tag=%s; to go back, set spec.version" $name $live $own $live $live) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
