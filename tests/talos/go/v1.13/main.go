// Reads a machine-configuration patch from standard input, as `talosctl patch machineconfig` does: it is decoded (unknown
// keys are refused), merged into a worker's configuration, and the result is validated as a node would.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
)

type metal struct{}

func (metal) String() string        { return "metal" }
func (metal) RequiresInstall() bool { return false }
func (metal) InContainer() bool     { return false }

func check(text []byte) error {
	patch, err := configpatcher.LoadPatch(text)
	if err != nil {
		return err
	}

	input, err := generate.NewInput("lab", "https://192.0.2.1:6443", "1.34.0", generate.WithInstallDisk("/dev/sda"))
	if err != nil {
		return err
	}

	worker, err := input.Config(machine.TypeWorker)
	if err != nil {
		return err
	}

	patched, err := configpatcher.Apply(configpatcher.WithConfig(worker), []configpatcher.Patch{patch})
	if err != nil {
		return err
	}

	config, err := patched.Config()
	if err != nil {
		return err
	}

	warnings, err := config.Validate(metal{})
	for _, warning := range warnings {
		fmt.Println("warning:", warning)
	}

	return err
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = check(text)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
