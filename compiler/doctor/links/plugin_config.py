"""The plugin's pods read the compiled configuration; its ConfigMap has a hash in its name."""

from __future__ import annotations

from compiler.components.device_plugin import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import dig, items, name
from compiler.doctor.expected import config_of, mounted_config
from compiler.doctor.snapshot import Known
from compiler.model.overlay import NodePool

_VOLUME = "config"


class _PluginConfig(Link):
    id = "plugin-config"
    title = "plugin's configuration"
    needs = (kinds.DAEMON_SET, kinds.POD)
    after = ("plugin",)

    def check(self, case: Case) -> Verdict:
        """Compare the mounted ConfigMap's name, its content, and what the running pods have mounted."""
        details, findings = [], []
        for pool in case.pools:
            found = _of_pool(case, pool)
            if isinstance(found, Finding):
                findings.append(found)
            else:
                details.append(found)
        return Verdict(tuple(details), tuple(findings))


def _of_pool(case: Case, pool: NodePool) -> Finding | str:
    workload = f"{NAME}-{pool.name}"
    live, compiled = case.daemon_set(workload) or {}, case.expected.find("DaemonSet", workload) or {}
    wanted, there = mounted_config(compiled, _VOLUME), mounted_config(live, _VOLUME)
    if there != wanted:
        return Finding(
            f"{workload} mounts the configuration {there or 'of nobody'}, not {wanted}",
            "what was compiled last is not applied: not committed, not fetched yet, or edited on the cluster",
            (f"gpuc check && git status --short out && {case.reapply()}",),
        )
    if case.seen.known(kinds.CONFIG_MAP) is Known.YES:
        config = case.seen.get(kinds.CONFIG_MAP, wanted, case.namespace)
        if config is None:
            what = f"there is no ConfigMap {wanted}: new pods of {workload} cannot start"
            return Finding(what, "somebody deleted it", (case.reapply(),))
        if dig(config, "data") != (case.expected.find("ConfigMap", wanted) or {}).get("data"):
            what = f"ConfigMap {wanted} holds something else than was compiled"
            restart = case.here("rollout", "restart", f"daemonset/{workload}")
            return Finding(what, "it was edited on the cluster; pods keep what they read", (case.reapply(), restart))
    for pod in case.pods(workload):
        if config_of(items(pod, "spec", "volumes"), _VOLUME) != wanted:
            return Finding(
                f"pod {name(pod)} still reads an older configuration",
                "the rollout has not reached it: it waits for another pod, or updateStrategy is OnDelete",
                (case.here("rollout", "status", f"daemonset/{workload}"), case.here("delete", "pod", name(pod))),
            )
    return wanted


LINK = _PluginConfig()
