"""Node Feature Discovery: its master, run outside of the cluster with a kubeconfig."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.processes import Program, Programs, free_ports, listening, minimal_env


def start_master(
    programs: Programs, binaries: Path, kubeconfig: Path, *, namespace: str, node: str, config: Path | None = None
) -> Program:
    """Start NFD's master, which turns NodeFeature and NodeFeatureRule objects into node labels.

    Args:
        programs: what the process belongs to.
        binaries: folder of the built programs.
        kubeconfig: of the cluster.
        namespace: where it believes to run.
        node: the node on which it believes to run.
        config: its configuration file; without one it runs with its defaults.

    Returns:
        The program, once it serves its health port.

    Raises:
        ProgramFailed: it does not come up.
    """
    port = free_ports(1)[0]
    program = programs.start(
        "nfd-master",
        [
            binaries / "nfd-master",
            f"-kubeconfig={kubeconfig}",
            f"-port={port}",
            *([f"-config={config}"] if config else []),
        ],
        env={**minimal_env(), "KUBERNETES_NAMESPACE": namespace, "NODE_NAME": node},
    )
    program.wait_until(lambda: listening(port), 60)
    return program
