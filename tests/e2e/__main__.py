"""`python -m tests.e2e [can-build | build | SCENARIO]...`."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from functools import partial
from pathlib import Path

from tests.e2e import build, sandbox, sidebyside
from tests.e2e.api import ApiError
from tests.e2e.cluster import Cluster, assemble
from tests.e2e.evidence import Evidence, NotProven
from tests.e2e.gitserver import GitServer
from tests.e2e.processes import ProgramFailed, Programs
from tests.e2e.served import CompileFailed

RUN = build.CHECKOUT / ".tools" / "e2e" / "run"
SHARED = (("worker4", "argocd", "red"), ("pools",))
"""Scenarios that leave a cluster as they found it, in the order in which they run on one; the clusters run at once."""
DEFAULT = tuple(name for cluster in SHARED for name in cluster)
ALONE = ("doctor", "harness")
"""Scenarios that run on a cluster of their own, and only when asked for: they take long, or prove the harness."""
SCENARIOS = (*DEFAULT, *ALONE)


def main(arguments: list[str] | None = None) -> int:
    """Build the programs and prove what was asked for.

    Returns:
        0 when everything is proven; 1 when something is not; 5 when the machine lacks something; 130 when interrupted.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.e2e", description=__doc__)
    parser.add_argument(
        "what",
        nargs="*",
        default=list(DEFAULT),
        help=f"can-build, build, or any of {', '.join(SCENARIOS)}; by default {', '.join(DEFAULT)}",
    )
    parser.add_argument("--logs", type=Path, help="folder that gets every program's log")
    chosen = parser.parse_args(arguments)
    unknown = sorted(set(chosen.what) - {"can-build", "build", *SCENARIOS})
    if unknown:
        parser.error(f"there is no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    if "can-build" in chosen.what:
        return 0 if build.find_compiler() else 5
    scenarios = [name for name in chosen.what if name != "build"]
    if scenarios and not sandbox.is_allowed():  # before a build of 20 minutes
        return 5
    try:
        binaries = build.build()
    except build.BuildFailed as error:
        print(error, file=sys.stderr)
        return 5
    logs = chosen.logs.resolve() if chosen.logs else None
    return sandbox.run_inside(RUN, lambda folder: _prove_all(scenarios, binaries, folder, logs)) if scenarios else 0


def _prove_all(scenarios: list[str], binaries: Path, folder: Path, logs: Path | None) -> int:
    """Prove scenarios that can share a cluster on one, the others each on its own. Returns the exit code."""
    groups = [*SHARED, *((name,) for name in ALONE)]
    chosen = [[name for name in group if name in scenarios] for group in groups]
    jobs = [
        partial(prove, names, binaries, folder / names[0], logs / names[0] if logs else None)
        for names in chosen
        if names
    ]
    start = time.monotonic()
    code = sidebyside.run(jobs, folder)
    print(f"{'all proven' if code == 0 else 'not proven'} in {time.monotonic() - start:.0f} s", flush=True)
    return code


def prove(scenarios: list[str], binaries: Path, folder: Path, logs: Path | None) -> int:
    """Put a cluster together below `folder` and run scenarios against it in their order. Returns the exit code."""
    start = time.monotonic()
    evidence = Evidence()
    try:
        (folder / "git").mkdir(parents=True)
        with Programs(folder / "logs") as programs, GitServer(folder / "git") as git:
            cluster = assemble(programs, git, binaries, folder)
            print(f"-- a cluster from nothing  ({time.monotonic() - start:.0f} s)", flush=True)
            for name in scenarios:
                _prove_one(name, cluster, evidence)
    except (NotProven, ProgramFailed, ApiError, CompileFailed, LookupError, TimeoutError) as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        if logs:
            shutil.copytree(folder / "logs", logs, dirs_exist_ok=True)
    print(f"{evidence.count} facts proven in {time.monotonic() - start:.0f} s", flush=True)
    return 0


def _prove_one(scenario: str, cluster: Cluster, evidence: Evidence) -> None:
    module = importlib.import_module(f"tests.e2e.scenarios.{scenario}")
    start = time.monotonic()
    title, _, _ = (module.__doc__ or "").partition("\n")
    print(f"-- {scenario}: {title}", flush=True)
    with evidence.meanwhile(cluster.programs.check):
        module.prove(cluster, evidence)
    print(f"-- {scenario} took {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
