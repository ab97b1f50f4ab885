"""Mistakes in what an overlay overrides and patches."""

from __future__ import annotations

from tests.inputs.project import OVERLAY, Broken, edited, overlay

_CLUSTER = "cluster: homelab\n"

OVERRIDES = (
    overlay(
        "override-unknown-key",
        _CLUSTER,
        _CLUSTER + "overrides: {devicePlugin: {§verison: v0.19.3}}\n",
        "GPU030",
        "`version`?",
    ),
    overlay(
        "override-unknown-top-key",
        _CLUSTER,
        _CLUSTER + "overrides: {§deviceplugin: {version: v0.19.3}}\n",
        "GPU030",
        "`devicePlugin`?",
    ),
    overlay("override-of-overlay-field", _CLUSTER, _CLUSTER + "overrides: {§nodePools: []}\n", "GPU030", "nodePools"),
    overlay(
        "override-wrong-type",
        _CLUSTER,
        _CLUSTER + "overrides: {devicePlugin: {failOnInitError: §'no'}}\n",
        "GPU032",
        "must be true or false",
    ),
    overlay(
        "override-invalid-value",
        _CLUSTER,
        _CLUSTER + "overrides: {devicePlugin: {deviceListStrategy: [§cdi]}}\n",
        "GPU033",
        "envvar",
    ),
    overlay(
        "override-kubernetes-float",
        _CLUSTER,
        _CLUSTER + "overrides: {kubernetes: {version: §1.33}}\n",
        "GPU033",
        '"1.33"',
    ),
    overlay(
        "override-removes-required",
        _CLUSTER,
        _CLUSTER + "overrides: {devicePlugin: {§version: null}}\n",
        "GPU031",
        "lacks `version`",
    ),
    overlay(
        "override-replaces-by-text",
        _CLUSTER,
        _CLUSTER + "overrides: {devicePlugin: §none}\n",
        "GPU032",
        "must be a mapping",
    ),
    overlay(
        "override-discriminator", _CLUSTER, _CLUSTER + "overrides: {platform: {os: §talso}}\n", "GPU033", "`talos`?"
    ),
    overlay(
        "override-leaves-other-fields",
        _CLUSTER,
        _CLUSTER + "overrides: {§platform: {os: generic}}\n",
        "GPU030",
        "version: null",
    ),
    overlay(
        "overrides-as-a-list", _CLUSTER, _CLUSTER + "overrides: §[{devicePlugin: {}}]\n", "GPU032", "must be a mapping"
    ),
    overlay("override-kind", _CLUSTER, _CLUSTER + "overrides: {kind: §Overlay}\n", "GPU033", "kind"),
    overlay(
        "override-timeout-above-interval",
        _CLUSTER,
        _CLUSTER + "overrides: {dcgmExporter: {§serviceMonitor: {interval: 5s}}}\n",
        "GPU033",
        "longer than interval",
    ),
)
PATCHES = (
    overlay(
        "patch-missing-file", _CLUSTER, _CLUSTER + "patches: [{path: §nowhere.yaml}]\n", "GPU062", "does not exist"
    ),
    overlay(
        "patch-out-of-the-folder", _CLUSTER, _CLUSTER + "patches: [{path: §a/../../../x.yaml}]\n", "GPU062", "leads out"
    ),
    overlay("patch-absolute", _CLUSTER, _CLUSTER + "patches: [{path: §/etc/passwd}]\n", "GPU033", "relative"),
    overlay("patch-not-yaml-name", _CLUSTER, _CLUSTER + "patches: [{path: §patch.txt}]\n", "GPU033", ".yaml"),
    overlay(
        "patch-as-text",
        _CLUSTER,
        _CLUSTER + "patches: [§patch.yaml]\n",
        "GPU032",
        "must be a mapping",
        "{path: patch.yaml}",
    ),
    overlay("patch-inline", _CLUSTER, _CLUSTER + "patches: [{§patch: 'a: b', path: a.yaml}]\n", "GPU030", "`path`"),
    overlay(
        "patch-root-typo", _CLUSTER, _CLUSTER + "patches: [{path: a.yaml, root: §monitor}]\n", "GPU033", "`monitoring`?"
    ),
    overlay(
        "patch-target-bad-pattern",
        _CLUSTER,
        _CLUSTER + "patches: [{path: a.yaml, target: {name: §'('}}]\n",
        "GPU033",
        "must be a regular expression",
        "backslash",
    ),
    overlay(
        "patch-target-costly-pattern",
        _CLUSTER,
        _CLUSTER + "patches: [{path: a.yaml, target: {name: §'(a+)+b'}}]\n",
        "GPU033",
        "none after a group",
    ),
    overlay(
        "patch-target-typo",
        _CLUSTER,
        _CLUSTER + "patches: [{path: a.yaml, target: {§knd: DaemonSet}}]\n",
        "GPU030",
        "`kind`?",
    ),
)


def _patched(
    id_: str, patch: str, rule: str, *says: str, entry: str = "path: patch.yaml", name: str = "patch.yaml"
) -> Broken:
    """Return an overlay whose patch file is wrong; the entry in the overlay is to blame."""
    text = edited(OVERLAY, _CLUSTER, f"{_CLUSTER}patches: [{{{entry.replace('path: ', 'path: §')}}}]\n")
    return Broken(id_, OVERLAY, text, rule, says, also=((f"overlays/worker4/{name}", patch),))


PATCH_FILES = (
    _patched("patch-empty", "", "GPU062", "one mapping"),
    _patched("patch-several-documents", "a: b\n---\na: b\n", "GPU062", "one mapping"),
    _patched("patch-a-word", "hello\n", "GPU062", "one mapping"),
    _patched("patch-no-yaml", "a: [\n", "GPU062", "not YAML"),
    _patched("patch-without-identity", "spec: {}\n", "GPU062", "give it a target"),
    _patched("patch-list-without-target", "- {op: remove, path: /spec}\n", "GPU062", "give it a target"),
    _patched(
        "patch-for-nothing",
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: nvidia-device-plugn}\n",
        "GPU061",
        "matches no object",
        "nvidia-device-plugin-worker4",
    ),
    _patched(
        "patch-target-for-nothing",
        "spec: {}\n",
        "GPU061",
        "matches no object",
        entry="path: patch.yaml, target: {kind: StatefulSet}",
    ),
    _patched(
        "patch-in-the-other-root",
        "spec: {}\n",
        "GPU061",
        "matches no object",
        entry="path: patch.yaml, target: {kind: ServiceMonitor}",
    ),
)
