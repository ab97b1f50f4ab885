"""Two pools of one cluster never meet on a node, whatever nodes there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.objects import Obj
from tests.components import facts
from tests.components.projects import TWO_POOLS, compiled, container, env, objects

PRESENT = {"nvidia.com/gpu.present": "true"}
WHOLE = {**PRESENT, "example.com/gpu": "whole"}
TAINT = (("dedicated", "ai", "NoSchedule"),)
MANY_POOLS = """\
nodePools:
  - name: one
    nodes: [{name: node-1}, {name: node-2}]
  - name: two
    nodes: [{name: node-3}]
    sharing: {strategy: mps, replicas: 2}
  - name: small
    nodeSelector: {size: small}
  - name: large
    nodeSelector: {size: large, zone: north}
"""


@pytest.fixture(scope="module")
def two_pools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Obj]:
    return objects(compiled(tmp_path_factory.mktemp("two"), TWO_POOLS))


@pytest.fixture(scope="module")
def many_pools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Obj]:
    return objects(compiled(tmp_path_factory.mktemp("many"), MANY_POOLS))


@pytest.mark.parametrize(
    ("node", "pools"),
    [
        pytest.param(facts.Node("node-1", PRESENT, TAINT), ["named"], id="named"),
        pytest.param(facts.Node("node-2", WHOLE, TAINT), ["named"], id="named, with the other pool's label"),
        pytest.param(facts.Node("node-3", WHOLE), ["labelled"], id="labelled"),
        pytest.param(facts.Node("node-3", PRESENT), [], id="in no pool"),
        pytest.param(facts.Node("node-3", {"example.com/gpu": "whole"}), [], id="without a GPU"),
        pytest.param(facts.Node("node-3", WHOLE, TAINT), [], id="labelled, with a taint that its pool lacks"),
        pytest.param(facts.Node("node-1", {}, TAINT), [], id="named, before NFD has labelled it"),
    ],
)
@pytest.mark.parametrize("component", ["nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter"])
def test_a_node_gets_the_daemonsets_of_its_pool(
    two_pools: dict[str, Obj], component: str, node: facts.Node, pools: list[str]
) -> None:
    there = [pool for pool in ("named", "labelled") if facts.lands_on(two_pools[f"DaemonSet/{component}-{pool}"], node)]
    assert there == pools


NODES = st.builds(
    facts.Node,
    st.sampled_from([f"node-{number}" for number in range(1, 6)]),
    st.fixed_dictionaries(
        {"nvidia.com/gpu.present": st.just("true")},
        optional={
            "size": st.sampled_from(["small", "large", "other"]),
            "zone": st.sampled_from(["north", "south"]),
            "nvidia.com/mps.capable": st.just("true"),
        },
    ),
)


@given(node=NODES)
def test_no_node_gets_two_plugins(many_pools: dict[str, Obj], node: facts.Node) -> None:
    plugins = [name for name in many_pools if name.startswith("DaemonSet/nvidia-device-plugin-")]
    assert len([name for name in plugins if facts.lands_on(many_pools[name], node)]) <= 1


@given(node=NODES)
def test_plugin_gfd_and_exporter_go_to_the_same_nodes(many_pools: dict[str, Obj], node: facts.Node) -> None:
    for pool in ("one", "two", "small", "large"):
        landed = {
            facts.lands_on(many_pools[f"DaemonSet/{component}-{pool}"], node)
            for component in ("nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter")
        }
        assert len(landed) == 1


def test_only_a_pool_that_shares_by_mps_gets_the_mps_daemon(many_pools: dict[str, Obj]) -> None:
    daemons = [name for name in many_pools if "mps-control-daemon" in name]
    assert daemons == ["DaemonSet/nvidia-mps-control-daemon-two"]


@pytest.mark.parametrize(("pool", "mounted"), [("one", False), ("two", True), ("small", False)])
def test_only_a_pool_that_shares_by_mps_mounts_its_folder(
    many_pools: dict[str, Obj], pool: str, *, mounted: bool
) -> None:
    mounts = container(many_pools[f"DaemonSet/nvidia-device-plugin-{pool}"])["volumeMounts"]
    assert ("/mps" in [mount["mountPath"] for mount in mounts]) == mounted


def test_the_mps_daemon_waits_for_the_label_of_gfd(many_pools: dict[str, Obj]) -> None:
    daemon = many_pools["DaemonSet/nvidia-mps-control-daemon-two"]
    nodes = [
        facts.Node("node-3", PRESENT),
        facts.Node("node-3", {**PRESENT, "nvidia.com/mps.capable": "true"}),
        facts.Node("node-4", {**PRESENT, "nvidia.com/mps.capable": "true"}),
    ]
    assert [facts.lands_on(daemon, node) for node in nodes] == [False, True, False]


@pytest.mark.parametrize(("pool", "shared"), [("named", True), ("labelled", False)])
def test_the_exporter_tells_the_pods_of_a_shared_card_apart(
    two_pools: dict[str, Obj], pool: str, *, shared: bool
) -> None:
    exporter = two_pools[f"DaemonSet/dcgm-exporter-{pool}"]
    told = (env(exporter).get("KUBERNETES_VIRTUAL_GPUS"), facts.pod(exporter)["spec"].get("hostPID"))
    assert told == (("true", True) if shared else (None, None))


def test_objects_that_exist_once_have_no_suffix(two_pools: dict[str, Obj]) -> None:
    suffixed = {name.partition("/")[0] for name in two_pools if "named" in name or "labelled" in name}
    assert suffixed == {"ConfigMap", "DaemonSet"}


def test_the_nfd_worker_tolerates_the_taints_of_every_pool(tmp_path: Path) -> None:
    body = """\
    nodePools:
      - name: a
        nodes: [{name: n1}]
        taints: [{key: one, effect: NoExecute}, {key: two, value: x, effect: NoSchedule}]
      - {name: b, nodes: [{name: n2}], taints: [{key: one, effect: NoExecute}]}
    """
    worker = objects(compiled(tmp_path, body))["DaemonSet/nfd-worker"]
    tolerations = [(item["key"], item["operator"], item["effect"]) for item in facts.pod(worker)["spec"]["tolerations"]]
    assert tolerations == [("one", "Exists", "NoExecute"), ("two", "Equal", "NoSchedule")]


@pytest.mark.parametrize("name", ["nfd-master", "nfd-gc"])
@pytest.mark.parametrize("tainted", [True, False])
def test_nfd_master_and_gc_tolerate_the_taints_where_every_node_has_one(
    tmp_path: Path, name: str, *, tainted: bool
) -> None:
    body = f"allNodesTainted: {str(tainted).lower()}\n{TWO_POOLS}"
    deployment = objects(compiled(tmp_path, body))[f"Deployment/{name}"]
    assert facts.lands_on(deployment, facts.Node("node-1", {}, TAINT)) == tainted
