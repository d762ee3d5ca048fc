{{- define "firsthand.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "firsthand.labels" -}}
app.kubernetes.io/name: firsthand
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "firsthand.selector" -}}
app.kubernetes.io/name: firsthand
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "firsthand.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "firsthand.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "firsthand.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{/* Kubernetes takes the last of two variables of one name and says nothing. `$owned`: the value of the chart that decides a variable. */}}
{{- define "firsthand.checkSettings" -}}
{{- $owned := dict "HOST" "host" "PORT" "" "DATA_DIR" "" "PUBLIC_URL" "publicUrl" "S3_BUCKET" "s3.bucket" "S3_REGION" "s3.region" "S3_FORCE_PATH_STYLE" "s3.forcePathStyle" "S3_ENDPOINT" "s3.endpoint" "TRUSTED_PROXIES" "trustedProxies" "REDIS_URL" "redisUrl" "DATABASE_POOL_SIZE" "databasePoolSize" "DRAIN_SECONDS" "drainSeconds" "WORKER_PORT" "" "ANALYSIS_THREADS" "worker.threads" "WORKER_CONCURRENCY" "worker.concurrency" }}
{{- range $name, $_ := .Values.settings }}
{{- if hasKey $owned $name }}
{{- fail (printf "settings.%s: the chart sets it. Leave it out here%s." $name (get $owned $name | empty | ternary "" (printf ", and use the value %s" (get $owned $name)))) }}
{{- end }}
{{- end }}
{{- $optional := dict "S3_ENDPOINT" .Values.s3.endpoint "TRUSTED_PROXIES" .Values.trustedProxies "REDIS_URL" .Values.redisUrl }}
{{- $seen := dict }}
{{- range .Values.secretSettings }}
{{- if or (hasKey $seen .setting) (hasKey $.Values.settings .setting) (and (hasKey $owned .setting) (not (and (hasKey $optional .setting) (empty (get $optional .setting))))) }}
{{- fail (printf "secretSettings: %s is set twice, here and by the chart, by settings or by another entry." .setting) }}
{{- end }}
{{- $_ := set $seen .setting true }}
{{- end }}
{{- end }}

{{/* Settings that every process has. A later `env` entry wins over `envFrom`. */}}
{{- define "firsthand.env" -}}
{{- include "firsthand.checkSettings" . -}}
- name: HOST
  value: {{ .Values.host | default (ternary "::" "0.0.0.0" (or (has "IPv6" .Values.service.ipFamilies) (eq .Values.service.ipFamilyPolicy "RequireDualStack"))) | quote }}
- name: DATA_DIR
  value: /data
- name: PUBLIC_URL
  value: {{ required "Set publicUrl: the address that people and clients use." .Values.publicUrl | quote }}
- name: S3_BUCKET
  value: {{ required "Set s3.bucket: the pods share no disk." .Values.s3.bucket | quote }}
- name: S3_REGION
  value: {{ .Values.s3.region | quote }}
- name: S3_FORCE_PATH_STYLE
  value: {{ .Values.s3.forcePathStyle | quote }}
{{- if .Values.s3.endpoint }}
- name: S3_ENDPOINT
  value: {{ .Values.s3.endpoint | quote }}
{{- end }}
{{- if .Values.trustedProxies }}
- name: TRUSTED_PROXIES
  value: {{ .Values.trustedProxies | quote }}
{{- end }}
{{- if .Values.redisUrl }}
- name: REDIS_URL
  value: {{ .Values.redisUrl | quote }}
{{- end }}
- name: DATABASE_POOL_SIZE
  value: {{ .Values.databasePoolSize | quote }}
- name: DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
{{- range .Values.secretSettings }}
- name: {{ .setting }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "firsthand.envFrom" -}}
{{- range .Values.existingSecrets }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- end }}

{{/* Liveness says that the process lives; a pod whose database is away must not be restarted for it. */}}
{{- define "firsthand.probes" -}}
# The port opens once the migrations are done, and a pod may wait for another pod's.
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 3
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{- define "firsthand.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "firsthand.volumes" -}}
- name: data
  emptyDir:
    sizeLimit: {{ .Values.dataSizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .Values.tmpSizeLimit }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "firsthand.podBase" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}
