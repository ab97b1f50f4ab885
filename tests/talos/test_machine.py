"""Machine-configuration patches: their form for each release, and what Talos's own decoder says of them."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.check.rules.talos_labels import may_set
from compiler.talos.machine import machine_patch
from compiler.yaml.readback import load_all
from tests.talos.decoder import complaint
from tests.talos.pools import pool

RELEASES = {"v1.12": (1, 12), "v1.13": (1, 13), "v1.14": (1, 14)}
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "taints": {
        "taints": [
            {"key": "dedicated", "value": "ai", "effect": "NoSchedule"},
            {"key": "nvidia.com/gpu", "effect": "NoExecute"},
            {"key": "example.com/soft", "value": "1", "effect": "PreferNoSchedule"},
        ]
    },
    "labels": {"nodes": (), "nodeSelector": {"gpu": "yes", "example.com/card": "5070", "node.kubernetes.io/x": "1.0"}},
    "labels-that-look-like-other-types": {"nodes": (), "nodeSelector": {"on": "true", "n": "1e3", "empty": ""}},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("release", RELEASES)
def test_talos_accepts_the_patch(release: str, settings: dict[str, Any]) -> None:
    assert complaint(release, machine_patch(pool(**settings), RELEASES[release])) == ""


@pytest.mark.parametrize("release", RELEASES)
def test_talos_refuses_a_key_that_it_does_not_know(release: str) -> None:
    patch = machine_patch(pool(), RELEASES[release]).replace("name: nvidia\n", "nome: nvidia\n")
    assert "unknown keys found during decoding" in complaint(release, patch)


@pytest.mark.parametrize("release", RELEASES)
def test_talos_refuses_an_effect_that_there_is_not(release: str) -> None:
    patch = machine_patch(pool(**SETTINGS["taints"]), RELEASES[release]).replace("NoExecute", "Never")
    assert 'invalid taint effect: "Never"' in complaint(release, patch)


def test_the_newer_form_is_unknown_to_1_13() -> None:
    assert "not registered" in complaint("v1.13", machine_patch(pool(), (1, 14)))


def test_1_14_refuses_the_older_form_of_taints_in_a_configuration_that_it_made_itself() -> None:
    patch = machine_patch(pool(**SETTINGS["taints"]), (1, 13))
    assert ".machine.nodeTaints is already set in v1alpha1 config" in complaint("v1.14", patch)


@pytest.mark.parametrize("minor", [(1, 10), (1, 11), (1, 12)], ids=str)
def test_up_to_1_12(minor: tuple[int, int]) -> None:
    patch = machine_patch(pool(**SETTINGS["taints"]), minor)
    assert load_all(patch) == [
        {
            "machine": {
                "kernel": {"modules": [{"name": f"nvidia{part}"} for part in ("", "_uvm", "_drm", "_modeset")]},
                "sysctls": {"net.core.bpf_jit_harden": "1"},
                "nodeTaints": {
                    "dedicated": "ai:NoSchedule",
                    "nvidia.com/gpu": ":NoExecute",
                    "example.com/soft": "1:PreferNoSchedule",
                },
            }
        }
    ]


def test_1_13_sets_no_sysctl() -> None:
    assert load_all(machine_patch(pool(), (1, 13))) == [
        {"machine": {"kernel": {"modules": [{"name": f"nvidia{part}"} for part in ("", "_uvm", "_drm", "_modeset")]}}}
    ]


@pytest.mark.parametrize("minor", [(1, 14), (1, 15), (2, 0)], ids=str)
def test_from_1_14_on(minor: tuple[int, int]) -> None:
    modules = [
        {"apiVersion": "v1alpha1", "kind": "KernelModuleConfig", "name": f"nvidia{part}"}
        for part in ("", "_uvm", "_drm", "_modeset")
    ]
    node = {
        "apiVersion": "v1alpha1",
        "kind": "KubeNodeConfig",
        "taints": {
            "dedicated": "ai:NoSchedule",
            "nvidia.com/gpu": ":NoExecute",
            "example.com/soft": "1:PreferNoSchedule",
        },
    }
    assert load_all(machine_patch(pool(**SETTINGS["taints"]), minor)) == [*modules, node]


def test_labels_that_a_node_may_not_give_itself_are_left_out() -> None:
    labels = {"kubernetes.io/role": "gpu", "example.com/a": "b", "topology.kubernetes.io/zone": "z"}
    (document,) = load_all(machine_patch(pool(nodes=(), nodeSelector=labels), (1, 13)))
    written = document["machine"]["nodeLabels"]
    assert written == {"example.com/a": "b", "topology.kubernetes.io/zone": "z"}
    assert all(may_set(key) for key in written)
