// Package prometheus pins the Go API types from which the Prometheus operator's custom resource definitions are generated.
package prometheus

import _ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
