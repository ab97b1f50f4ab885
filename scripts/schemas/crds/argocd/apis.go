// Package argocd pins the Go API types from which Argo CD's custom resource definitions are generated.
package argocd

import _ "github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
