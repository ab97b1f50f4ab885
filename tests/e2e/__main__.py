"""`python -m tests.e2e [build | SCENARIO]`."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
from pathlib import Path

from tests.e2e import build, sandbox
from tests.e2e.api import ApiError
from tests.e2e.cluster import assemble
from tests.e2e.evidence import Evidence, NotProven
from tests.e2e.gitserver import GitServer
from tests.e2e.processes import ProgramFailed, Programs

RUN = build.CHECKOUT / ".tools" / "e2e" / "run"
SCENARIOS = ("worker4",)


def main(arguments: list[str] | None = None) -> int:
    """Build the programs and prove what was asked for.

    Returns:
        0 when everything is proven; 1 when something is not; 5 when the machine lacks something; 130 when interrupted.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.e2e", description=__doc__)
    parser.add_argument(
        "what", nargs="*", default=list(SCENARIOS), help="build, or scenarios; by default all scenarios"
    )
    parser.add_argument("--logs", type=Path, help="folder that gets every program's log")
    chosen = parser.parse_args(arguments)
    unknown = sorted(set(chosen.what) - {"build", *SCENARIOS})
    if unknown:
        parser.error(f"there is no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    try:
        binaries = build.build()
    except build.BuildFailed as error:
        print(error, file=sys.stderr)
        return 5
    scenarios = [name for name in chosen.what if name != "build"]
    logs = chosen.logs.resolve() if chosen.logs else None
    return sandbox.run_inside(RUN, lambda folder: _prove_all(scenarios, binaries, folder, logs)) if scenarios else 0


def _prove_all(scenarios: list[str], binaries: Path, folder: Path, logs: Path | None) -> int:
    """Prove one scenario after the other, each with a cluster of its own, up to the first that fails."""
    for name in scenarios:
        code = prove(name, binaries, folder / name, logs / name if logs else None)
        if code != 0:
            return code
    return 0


def prove(scenario: str, binaries: Path, folder: Path, logs: Path | None) -> int:
    """Put a cluster together below `folder` and run one scenario against it. Returns the exit code."""
    start = time.monotonic()
    module = importlib.import_module(f"tests.e2e.scenarios.{scenario}")
    try:
        (folder / "git").mkdir(parents=True)
        with Programs(folder / "logs") as programs, GitServer(folder / "git") as git:
            evidence = Evidence(check=programs.check)
            cluster = assemble(programs, git, binaries, folder)
            module.prove(cluster, evidence)
    except (NotProven, ProgramFailed, ApiError, LookupError, TimeoutError) as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        if logs:
            shutil.copytree(folder / "logs", logs, dirs_exist_ok=True)
    print(f"{scenario}: {evidence.count} facts proven in {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
