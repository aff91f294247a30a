{{- define "citebound.name" -}}
{{- printf "%s" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "citebound.labels" -}}
app.kubernetes.io/name: citebound
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "citebound.selector" -}}
app.kubernetes.io/name: citebound
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "citebound.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "citebound.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "citebound.name" .) }}
{{- end -}}

{{/* Which key of which Secret holds the URL of the login `app`, `seal` or `read`: dict of root, login. */}}
{{- define "citebound.urlSecret" -}}
{{- $database := .root.Values.database -}}
{{- if $database.cloudnativepg.enabled -}}
name: {{ get $database.cloudnativepg (printf "%sSecret" .login) }}
key: url
{{- else -}}
{{- toYaml (get (dict "app" $database.urlSecret "seal" $database.sealUrlSecret "read" .root.Values.console.urlSecret) .login) -}}
{{- end -}}
{{- end -}}

{{/* The settings of a process: plain ones, then secrets by reference. Dict of root, login. */}}
{{- define "citebound.env" -}}
{{- with .root }}
{{- range $name, $value := .Values.settings }}
{{- if regexMatch "(TOKEN(_KEY|_KEY_OLD|_BEDROCK)?|PSEUDONYM_KEY|SECRET(_PREVIOUS)?|PASSWORD|API_KEY|IDENTITY_HEADER|DATABASE_URL|MIGRATION_URL|RECORD_URL)$" $name }}
{{- fail (printf "settings.%s is a secret: put it into a Secret, and name that under secrets.%s" $name $name) }}
{{- end }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- if .Values.console.enabled }}
- name: CITEBOUND_CONSOLE_URL
  value: {{ required "console.url is missing" .Values.console.url | quote }}
{{- end }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: {{- include "citebound.urlSecret" $ | nindent 6 }}
{{- range $name, $from := .Values.secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ required (printf "secrets.%s.name is missing" $name) $from.name }}
      key: {{ required (printf "secrets.%s.key is missing" $name) $from.key }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "citebound.anchors" -}}
{{ printf "/var/lib/citebound/anchors,%s" .Values.seal.anchors.second }}
{{- end -}}

{{- define "citebound.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* What each pod has, whatever it runs. */}}
{{- define "citebound.podSpec" -}}
serviceAccountName: {{ include "citebound.serviceAccount" . }}
automountServiceAccountToken: false
securityContext:
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  runAsNonRoot: true
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {sizeLimit: 256Mi}
{{- end -}}

{{/* A Deployment: dict of root, component, args, replicas (none: scaled by another), values. */}}
{{- define "citebound.deployment" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "citebound.name" $root }}-{{ .component }}
  labels:
    {{- include "citebound.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if .replicas }}
  replicas: {{ .replicas }}
  {{- end }}
  {{- if eq .component "seal" }}
  # Its volume goes to one pod at a time.
  strategy: {type: Recreate}
  {{- else }}
  strategy:
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  {{- end }}
  selector:
    matchLabels: {{- include "citebound.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "citebound.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
      {{- with $root.Values.podAnnotations }}
      annotations: {{ toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "citebound.podSpec" $root | nindent 6 }}
        {{- if eq .component "seal" }}
        - name: key
          secret:
            secretName: {{ $root.Values.seal.keySecret.name }}
            defaultMode: 0400
            items: [{key: {{ $root.Values.seal.keySecret.key }}, path: key.pem}]
        - name: anchors
          persistentVolumeClaim:
            claimName: {{ $root.Values.seal.anchors.existingClaim | default (printf "%s-seal" (include "citebound.name" $root)) }}
        {{- end }}
      # Work that has begun is finished within 20 s; the rest is for the end of connections.
      terminationGracePeriodSeconds: 45
      topologySpreadConstraints:
        {{- if $root.Values.topologySpreadConstraints }}
        {{- toYaml $root.Values.topologySpreadConstraints | nindent 8 }}
        {{- else }}
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "citebound.selector" . | nindent 14 }}
        {{- end }}
      containers:
        - name: citebound
          image: {{ include "citebound.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: {{ toJson .args }}
          env:
            {{- include "citebound.env" (dict "root" $root "login" (ternary "seal" "app" (eq .component "seal"))) | nindent 12 }}
            {{- if and (eq .component "serve") $root.Values.console.enabled }}
            - name: CITEBOUND_RECORD_URL
              valueFrom:
                secretKeyRef: {{- include "citebound.urlSecret" (dict "root" $root "login" "read") | nindent 18 }}
            {{- end }}
            {{- if eq .component "seal" }}
            - {name: CITEBOUND_LEDGER_KEY, value: /run/secrets/ledger/key.pem}
            - {name: CITEBOUND_LEDGER_ANCHORS, value: {{ include "citebound.anchors" $root | quote }}}
            {{- end }}
          ports:
            {{- if eq .component "serve" }}
            - {name: platforms, containerPort: 8080}
            {{- end }}
            - {name: operations, containerPort: 8081}
          # Answered before the models are loaded and the database is reached; on a slow disk Python takes its time.
          startupProbe:
            httpGet: {path: /livez, port: operations}
            periodSeconds: 2
            failureThreshold: 90
          livenessProbe:
            httpGet: {path: /livez, port: operations}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: {path: /readyz, port: operations}
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext: {{- include "citebound.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            {{- if eq .component "seal" }}
            - {name: key, mountPath: /run/secrets/ledger, readOnly: true}
            - {name: anchors, mountPath: /var/lib/citebound/anchors}
            {{- end }}
{{- end -}}
