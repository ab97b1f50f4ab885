// Command kustomize prints the JSON Schema of kustomization.yaml, reflected from kustomize's own Go types.
//
// kustomize publishes no schema for the fields that it reads today; its types are what it decodes into, strictly.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/invopop/jsonschema"
	"sigs.k8s.io/kustomize/api/types"
)

func main() {
	reflector := jsonschema.Reflector{
		// Nothing is required but what a rule of kustomize demands at run time: its tags say omitempty nearly everywhere.
		RequiredFromJSONSchemaTags: true,
		Anonymous:                  true,
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(reflector.Reflect(&types.Kustomization{})); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
