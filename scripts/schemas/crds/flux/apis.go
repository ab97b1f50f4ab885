// Package flux pins the Go API types from which Flux's custom resource definitions are generated.
package flux

import (
	_ "github.com/fluxcd/kustomize-controller/api/v1"
	_ "github.com/fluxcd/source-controller/api/v1"
)
