// Package nfd pins the Go API types from which the custom resource definitions of Node Feature Discovery are generated.
package nfd

import _ "sigs.k8s.io/node-feature-discovery/api/nfd/v1alpha1"
