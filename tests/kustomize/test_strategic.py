"""A patch makes the wanted object of its base when Kustomize applies it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compiler.kustomize.strategic import MERGE_KEYS, patch_for
from compiler.objects import Json, Obj
from compiler.validate import Toolset
from tests.kustomize.batch import kustomize

CONTAINER: Obj = {
    "name": "main",
    "image": "a:1",
    "args": ["-f", "x"],
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
    "ports": [{"name": "metrics", "containerPort": 9400}],
    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    "volumeMounts": [{"name": "v", "mountPath": "/v"}, {"name": "w", "mountPath": "/w", "readOnly": True}],
}
POD: Obj = {
    "serviceAccountName": "x",
    "nodeSelector": {"a": "b"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "containers": [CONTAINER],
    "volumes": [
        {"name": "v", "hostPath": {"path": "/v", "type": "Directory"}},
        {"name": "w", "configMap": {"name": "w"}},
    ],
}


def daemonset(pod: Obj, labels: dict[str, str] | None = None, **spec: Json) -> Obj:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "x", "namespace": "gpu", "labels": labels or {"app": "x"}},
        "spec": {
            **spec,
            "selector": {"matchLabels": {"app": "x"}},
            "template": {"metadata": {"labels": {"app": "x"}}, "spec": pod},
        },
    }


def with_container(**changes: Json) -> Obj:
    """Return the DaemonSet with other fields in its container; those that are None are missing."""
    merged = {**CONTAINER, **changes}
    return daemonset({**POD, "containers": [{key: value for key, value in merged.items() if value is not None}]})


def with_pod(**changes: Json) -> Obj:
    merged = {**POD, **changes}
    return daemonset({key: value for key, value in merged.items() if value is not None})


BASE = daemonset(POD)
FINAL = {
    "a variable more": with_container(env=[*CONTAINER["env"], {"name": "C", "value": "3"}]),
    "a variable less": with_container(env=[{"name": "B", "value": "2"}]),
    "another value": with_container(env=[{"name": "A", "value": "x"}, {"name": "B", "value": "2"}]),
    "a value from elsewhere": with_container(
        env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}, {"name": "B", "value": "2"}]
    ),
    "other arguments": with_container(args=["-f"]),
    "no arguments": with_container(args=None),
    "a mount less": with_container(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
    "a mount that may be written": with_container(
        volumeMounts=[{"name": "v", "mountPath": "/v"}, {"name": "w", "mountPath": "/w"}]
    ),
    "other rights": with_container(securityContext={"capabilities": {"add": ["SYS_ADMIN"]}}),
    "all rights": with_container(securityContext={"privileged": True}),
    "no ports": with_container(ports=[]),
    "another port": with_container(ports=[{"name": "metrics", "containerPort": 9500}]),
    "a volume of another kind": with_pod(
        volumes=[{"name": "v", "emptyDir": {"medium": "Memory"}}, {"name": "w", "configMap": {"name": "w"}}]
    ),
    "a volume less": with_pod(volumes=[{"name": "w", "configMap": {"name": "w"}}]),
    "a container more": with_pod(containers=[CONTAINER, {"name": "second", "image": "b:1"}]),
    "an init container": with_pod(initContainers=[{"name": "first", "image": "b:1"}]),
    "other tolerations": with_pod(tolerations=[{"operator": "Exists"}]),
    "no tolerations": with_pod(tolerations=None),
    "another node selector": with_pod(nodeSelector={"c": "d"}),
    "an affinity": with_pod(affinity={"nodeAffinity": {"x": [{"y": "z"}]}}),
    "secrets": with_pod(imagePullSecrets=[{"name": "one"}, {"name": "two"}]),
    "another account": with_pod(serviceAccountName="y"),
    "a label more": daemonset(POD, labels={"app": "x", "more": "y"}),
    "other labels": daemonset(POD, labels={"more": "y"}),
    "an update strategy": daemonset(POD, updateStrategy={"type": "OnDelete"}),
    "several at once": daemonset({**POD, "hostPID": True, "volumes": []}, labels={"x": "y"}, minReadySeconds=3),
}


def unordered(value: Json, key: str = "") -> Json:
    """Return a value in which lists that Kubernetes takes for mappings are sorted by their keys."""
    if isinstance(value, dict):
        return {name: unordered(item, name) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    items = [unordered(item) for item in value]
    return sorted(items, key=lambda item: str(item[MERGE_KEYS[key]])) if key in MERGE_KEYS else items


def by_name(objects: Sequence[Obj]) -> dict[str, Json]:
    return {obj["metadata"]["name"]: unordered(obj) for obj in objects}


def renamed(obj: Obj, name: str) -> Obj:
    return {**obj, "metadata": {**obj["metadata"], "name": name}}


def applied(tools: Toolset, folder: Path, pairs: Sequence[tuple[Obj, Obj]]) -> tuple[list[Obj], list[Obj]]:
    """Return the wanted objects, and what kustomize makes of bases and patches: one run for all of them."""
    files: dict[str, Json] = {}
    wanted, patches = [], []
    for index, (base, final) in enumerate(pairs):
        one, other = renamed(base, f"x{index}"), renamed(final, f"x{index}")
        files[f"x{index}.yaml"] = one
        wanted.append(other)
        patch = patch_for(one, other)
        if patch:
            files[f"p{index}.yaml"] = patch
            patches.append({"path": f"p{index}.yaml"})
    content = {"resources": [f"x{index}.yaml" for index in range(len(pairs))], "patches": patches}
    return wanted, kustomize(tools, folder, content, files)


def test_kustomize_makes_the_wanted_object(tools: Toolset, tmp_path: Path) -> None:
    there = [(BASE, final) for final in FINAL.values()]
    back = [(final, BASE) for final in FINAL.values()]
    wanted, built = applied(tools, tmp_path, [*there, *back])
    assert by_name(built) == by_name(wanted)


@pytest.mark.parametrize(
    ("final", "spec"),
    [
        (
            "a variable more",
            {"template": {"spec": {"containers": [{"name": "main", "env": [{"name": "C", "value": "3"}]}]}}},
        ),
        (
            "a variable less",
            {"template": {"spec": {"containers": [{"name": "main", "env": [{"$patch": "delete", "name": "A"}]}]}}},
        ),
        ("no tolerations", {"template": {"spec": {"tolerations": None}}}),
        ("another node selector", {"template": {"spec": {"nodeSelector": {"c": "d", "a": None}}}}),
        ("an update strategy", {"updateStrategy": {"type": "OnDelete"}}),
    ],
)
def test_a_patch_says_only_what_differs(final: str, spec: Obj) -> None:
    assert patch_for(BASE, FINAL[final]) == {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "x", "namespace": "gpu"},
        "spec": spec,
    }


@pytest.mark.parametrize("final", FINAL.values(), ids=FINAL.keys())
def test_the_same_object_needs_no_patch(final: Obj) -> None:
    assert patch_for(final, deepcopy(final)) is None


def test_a_patch_changes_neither_argument() -> None:
    base, final = deepcopy(BASE), deepcopy(FINAL["several at once"])
    patch_for(base, final)
    assert (base, final) == (BASE, FINAL["several at once"])


def merged(base: Json, patch: Json, key: str = "") -> Json:
    """Apply a strategic merge patch as Kubernetes does, to the lists that pods have."""
    if isinstance(patch, dict):
        result = dict(base) if isinstance(base, dict) else {}
        for name, value in patch.items():
            if value is None:
                result.pop(name, None)
            else:
                result[name] = merged(result.get(name), value, name)
        return result
    if isinstance(patch, list) and key in MERGE_KEYS:
        by_key = {item[MERGE_KEYS[key]]: item for item in base or []}
        for item in patch:
            if item.get("$patch") == "delete":
                by_key.pop(item[MERGE_KEYS[key]], None)
            else:
                by_key[item[MERGE_KEYS[key]]] = merged(by_key.get(item[MERGE_KEYS[key]]), item)
        return list(by_key.values())
    return patch


NAMES = st.sampled_from(["a", "b", "c"])
VARIABLE = st.one_of(
    st.builds(lambda name, value: {"name": name, "value": value}, NAMES, st.text("xy", max_size=2)),
    st.builds(lambda name: {"name": name, "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}, NAMES),
)
VOLUME = st.one_of(
    st.builds(lambda name, path: {"name": name, "hostPath": {"path": path}}, NAMES, st.sampled_from(["/x", "/y"])),
    st.builds(lambda name: {"name": name, "configMap": {"name": "c", "optional": True}}, NAMES),
)
MOUNT = st.builds(lambda name, path: {"name": name, "mountPath": path}, NAMES, st.sampled_from(["/x", "/y", "/z"]))
TOLERATION = st.fixed_dictionaries({"operator": st.just("Exists")}, optional={"key": NAMES})
SECURITY = st.fixed_dictionaries(
    {"runAsUser": st.sampled_from([0, 1])},
    optional={
        "privileged": st.booleans(),
        "capabilities": st.fixed_dictionaries({"drop": st.just(["ALL"])}, optional={"add": st.just(["SYS_ADMIN"])}),
    },
)


def unique(items: st.SearchStrategy[Obj], key: str) -> st.SearchStrategy[list[Obj]]:
    return st.lists(items, min_size=1, max_size=3, unique_by=lambda item: item[key])


CONTAINERS = st.fixed_dictionaries(
    {"name": NAMES, "image": st.sampled_from(["i:1", "i:2"])},
    optional={
        "env": unique(VARIABLE, "name"),
        "volumeMounts": unique(MOUNT, "mountPath"),
        "securityContext": SECURITY,
        "command": st.lists(NAMES, min_size=1, max_size=2),
    },
)
PODS = st.fixed_dictionaries(
    {"containers": unique(CONTAINERS, "name")},
    optional={
        "initContainers": unique(CONTAINERS, "name"),
        "volumes": unique(VOLUME, "name"),
        "tolerations": st.lists(TOLERATION, min_size=1, max_size=3),
        "nodeSelector": st.dictionaries(NAMES, NAMES, min_size=1),
        "imagePullSecrets": unique(st.builds(lambda name: {"name": name}, NAMES), "name"),
        "hostPID": st.booleans(),
    },
)
DAEMONSETS = st.builds(daemonset, PODS, st.dictionaries(NAMES, NAMES, min_size=1))


@given(base=DAEMONSETS, final=DAEMONSETS)
def test_base_and_patch_make_the_wanted_object(base: Obj, final: Obj) -> None:
    patch = patch_for(base, final)
    assert unordered(merged(base, patch) if patch else base) == unordered(final)


# Shrinking would start kustomize hundreds of times; the law in memory finds the small example.
@settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(pairs=st.lists(st.tuples(DAEMONSETS, DAEMONSETS), min_size=5, max_size=5))
def test_kustomize_makes_the_wanted_object_for_any_pair(
    tools: Toolset, tmp_path: Path, pairs: list[tuple[Obj, Obj]]
) -> None:
    wanted, built = applied(tools, tmp_path, pairs)
    assert by_name(built) == by_name(wanted)
