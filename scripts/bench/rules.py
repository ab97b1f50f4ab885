"""`python -m scripts.bench.rules`: what the rules cost on worker4, and how that grows with the number of node pools.

Prints seconds of processor time, the least of several runs: loading the rules, then running them on inputs and on
finished objects. kustomize is left out for the larger projects: what the compiler has in memory is the same.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from compiler.check import check, check_scenes, unused_ignores
from compiler.delivery import deliver
from compiler.kustomize.layout import lay_out
from compiler.model.environment import Project
from compiler.pipeline import read
from compiler.scenes import compiled_scene

ROOT = Path(__file__).parents[2]
_POOL = """\
  - name: pool{number}
    nodes: [{{name: node{number}}}]
    taints: [{{key: dedicated, value: ai, effect: NoSchedule}}]
    gpu: {{product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi}}
    sharing: {{strategy: time-slicing, replicas: 5}}
"""
_LOADING = (
    "import time, compiler.pipeline, compiler.check as check; start = time.process_time(); check.all_rules(); "
    "print(time.process_time() - start)"
)
_GPUC = Path(sys.executable).with_name("gpuc")


def project(folder: Path, pools: int) -> Project:
    """Return a project with this repository's stack and a number of pools, each with a workload."""
    (folder / "base").mkdir(parents=True)
    (folder / "base/stack.yaml").write_bytes((ROOT / "base/stack.yaml").read_bytes())
    text = "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: bench\nnodePools:\n"
    text += "".join(_POOL.format(number=number) for number in range(pools)) + "workloads:\n"
    text += "".join(f"  - {{name: w{n}, namespace: x, vram: 4Gi, pool: pool{n}}}\n" for n in range(pools))
    overlay = folder / "overlays/bench/overlay.yaml"
    overlay.parent.mkdir(parents=True)
    overlay.write_text(text, encoding="utf-8")
    return read(folder)


def rules_on(subject: Project) -> Callable[[], None]:
    """Return a function that runs every rule on a project, as `gpuc compile` does."""
    tree = lay_out(subject.stack, subject.environments, {})
    deliver(tree, subject)
    built = {name: list(root.expected) for name, root in tree.roots.items()}

    def run() -> None:
        used = check(subject).used
        scenes = [(item.name, compiled_scene(item, tree, built, ())) for item in subject.environments]
        found = check_scenes(subject, scenes)
        unused_ignores(subject, used | found.used)

    return run


def least(run: Callable[[], None], times: int = 5) -> float:
    """Return the least processor time in seconds that a function takes."""
    spent = []
    run()
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    return min(spent)


def loading() -> float:
    """Return the processor time in seconds that loading the rules adds to a process that has the rest."""
    runs = [
        subprocess.run([sys.executable, "-c", _LOADING], capture_output=True, text=True, check=True) for _ in range(5)
    ]
    return min(float(run.stdout) for run in runs)


def compiling() -> float:
    """Return the least processor time in seconds of `gpuc check` in this repository, with the programs that it runs."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([_GPUC, "check", "--root", str(ROOT)], capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def main() -> None:
    """Print the table."""
    whole, loaded = compiling(), loading()
    running = least(rules_on(read(ROOT)))
    print(f"gpuc check on worker4, kustomize and kubeconform included: {whole * 1000:.0f} ms of processor time")
    print(
        f"  loading the rules {loaded * 1000:.1f} ms, running them {running * 1000:.1f} ms: "
        f"{(loaded + running) / (whole - loaded - running):.1%} more than without"
    )
    print("pools  running the rules (ms)  a pool (ms)")
    for pools in (1, 10, 100):
        with tempfile.TemporaryDirectory() as folder:
            spent = least(rules_on(project(Path(folder), pools)), 3)
        print(f"{pools:5}  {spent * 1000:22.1f}  {spent * 1000 / pools:11.2f}")


if __name__ == "__main__":
    main()
