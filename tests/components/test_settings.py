"""What a setting does to the object that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.objects import Obj
from compiler.yaml.readback import load_all
from tests.components import facts
from tests.components.projects import POOL, STACK, compiled, container, env, objects

PLUGIN, GFD, EXPORTER = (
    f"DaemonSet/{name}-a" for name in ("nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter")
)
LEAST = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def stack_with(plugin: str = "", gfd: str = "{}", exporter: str = "", **more: str) -> str:
    """Return a stack with further settings, as they stand between the braces of each component."""
    lines = [
        *STACK.splitlines()[:6],
        f"gpuFeatureDiscovery: {gfd}",
        f"devicePlugin: {{version: v0.20.0, deviceDiscoveryStrategy: nvml, {plugin}}}",
        f"dcgmExporter: {{version: 4.5.3-4.8.2-distroless, {exporter}}}",
        *(f"{key}: {value}" for key, value in more.items()),
    ]
    return "\n".join(lines) + "\n"


def build(folder: Path, stack: str = STACK, body: str = POOL) -> dict[str, Obj]:
    return objects(compiled(folder, body, stack=stack))


def plugin_config(found: dict[str, Obj]) -> Obj:
    (name,) = (name for name in found if name.startswith("ConfigMap/nvidia-device-plugin-config"))
    (document,) = load_all(found[name]["data"]["config.yaml"])
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize(
    ("plugin", "pool", "expected"),
    [
        pytest.param("", "", LEAST, id="envvar"),
        pytest.param("deviceListStrategy: [cdi-cri]", "", LEAST, id="cdi"),
        pytest.param("deviceListStrategy: [volume-mounts]", "", {"capabilities": {"add": ["SYS_ADMIN"]}}, id="volumes"),
        pytest.param("", "mig: {strategy: single}", {"capabilities": {"add": ["SYS_ADMIN"]}}, id="MIG"),
        pytest.param("passDeviceSpecs: true", "mig: {strategy: mixed}", {"privileged": True}, id="device nodes"),
        pytest.param("securityContext: {runAsUser: 0}", "", {"runAsUser": 0}, id="the user's own"),
    ],
)
def test_the_plugin_has_the_least_rights_that_work(tmp_path: Path, plugin: str, pool: str, expected: Obj) -> None:
    platform = "nodePools: [{name: a, nodes: [{name: n}], platform: {os: generic}, "
    found = build(tmp_path, stack_with(plugin), f"{platform}{pool}}}]\n")
    assert container(found[PLUGIN])["securityContext"] == expected


@pytest.mark.parametrize(
    ("strategy", "shown"),
    [("[envvar]", "envvar"), ("[envvar, cdi-annotations]", ["envvar", "cdi-annotations"])],
    ids=["one", "two"],
)
def test_a_single_strategy_is_written_as_people_write_it(tmp_path: Path, strategy: str, shown: object) -> None:
    found = build(tmp_path, stack_with(f"deviceListStrategy: {strategy}"))
    assert plugin_config(found)["flags"]["plugin"]["deviceListStrategy"] == shown


@pytest.mark.parametrize(
    ("platform", "plugin", "hook"),
    [
        pytest.param("{os: talos, version: v1.13.0}", "", "/usr/local/bin/nvidia-cdi-hook", id="Talos 1.13"),
        pytest.param("{os: generic}", "", None, id="generic"),
        pytest.param("{os: generic}", "cdi: {hookPath: /x/hook}", "/x/hook", id="generic, the user's own"),
    ],
)
def test_cdi_hooks_are_where_the_platform_has_them(
    tmp_path: Path, platform: str, plugin: str, hook: str | None
) -> None:
    body = f"nodePools: [{{name: a, nodes: [{{name: n}}], platform: {platform}}}]\n"
    found = build(tmp_path, stack_with(f"deviceListStrategy: [cdi-annotations], {plugin}"), body)
    assert env(found[PLUGIN]).get("NVIDIA_CDI_HOOK_PATH") == hook


@pytest.mark.parametrize(("strategy", "mounted"), [("envvar", False), ("cdi-cri", True)])
def test_only_cdi_mounts_the_driver_root(tmp_path: Path, strategy: str, *, mounted: bool) -> None:
    found = build(tmp_path, stack_with(f"deviceListStrategy: [{strategy}], nvidiaDriverRoot: /run/nvidia/driver"))
    paths = {
        volume["hostPath"]["path"] for volume in facts.pod(found[PLUGIN])["spec"]["volumes"] if "hostPath" in volume
    }
    assert ({"/run/nvidia/driver", "/var/run/cdi"} <= paths) == mounted


def test_nothing_that_is_in_the_file_is_in_the_environment_too(tmp_path: Path) -> None:
    found = build(tmp_path)
    assert list(env(found[PLUGIN])) == ["CONFIG_FILE", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"]


@pytest.mark.parametrize(
    ("sharing", "section"),
    [
        pytest.param("{strategy: none}", None, id="none"),
        pytest.param(
            "{strategy: time-slicing, replicas: 3, failRequestsGreaterThanOne: true}",
            {
                "timeSlicing": {
                    "renameByDefault": False,
                    "failRequestsGreaterThanOne": True,
                    "resources": [{"name": "nvidia.com/gpu", "replicas": 3}],
                }
            },
            id="time-slicing",
        ),
        pytest.param(
            "{strategy: mps, replicas: 3, renameByDefault: true}",
            {"mps": {"renameByDefault": True, "resources": [{"name": "nvidia.com/gpu", "replicas": 3}]}},
            id="MPS",
        ),
    ],
)
def test_the_configuration_says_how_cards_are_shared(tmp_path: Path, sharing: str, section: Obj | None) -> None:
    found = build(tmp_path, body=f"nodePools: [{{name: a, nodes: [{{name: n}}], sharing: {sharing}}}]\n")
    assert plugin_config(found).get("sharing") == section


@pytest.mark.parametrize(("strategy", "root"), [("mps", "/run/nvidia/mps"), ("time-slicing", None)])
def test_the_plugin_is_told_mps_folder_where_it_needs_it(tmp_path: Path, strategy: str, root: str | None) -> None:
    body = f"nodePools: [{{name: a, nodes: [{{name: n}}], sharing: {{strategy: {strategy}, replicas: 2}}}}]\n"
    assert plugin_config(build(tmp_path, body=body))["flags"].get("mpsRoot") == root


@pytest.mark.parametrize(
    ("pool", "names"),
    [
        pytest.param("sharing: {strategy: time-slicing, replicas: 2}", None, id="not renamed"),
        pytest.param(
            "sharing: {strategy: time-slicing, replicas: 2, renameByDefault: true}",
            "nvidia.com/gpu.shared",
            id="renamed",
        ),
        pytest.param("sharing: {strategy: none}", None, id="not shared"),
    ],
)
def test_the_exporter_knows_renamed_resources(tmp_path: Path, pool: str, names: str | None) -> None:
    found = build(tmp_path, body=f"nodePools: [{{name: a, nodes: [{{name: n}}], {pool}}}]\n")
    assert env(found[EXPORTER]).get("NVIDIA_RESOURCE_NAMES") == names


@pytest.mark.parametrize(
    ("plugin", "gfd", "expected"),
    [
        pytest.param("", "", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", id="the plugin's"),
        pytest.param("image: {repository: a.example/p, tag: x}", "", "a.example/p:x", id="the plugin's own"),
        pytest.param("image: {repository: a.example/p}", "tag: y", "a.example/p:y", id="another tag"),
        pytest.param(
            f"image: {{digest: 'sha256:{'0' * 64}'}}",
            "tag: y",
            "nvcr.io/nvidia/k8s-device-plugin:y",
            id="another tag is another image",
        ),
        pytest.param(
            "image: {repository: a.example/p, tag: x}", "repository: a.example/g", "a.example/g:v0.20.0", id="another"
        ),
        pytest.param("image: {repository: a.example/p}", "pullPolicy: Always", "a.example/p:v0.20.0", id="pull policy"),
    ],
)
def test_gfd_shares_the_plugin_s_image_as_far_as_it_can(tmp_path: Path, plugin: str, gfd: str, expected: str) -> None:
    found = build(tmp_path, stack_with(plugin, f"{{image: {{{gfd}}}}}"))
    assert container(found[GFD])["image"] == expected


@pytest.mark.parametrize(
    ("gfd", "secrets"),
    [
        pytest.param("{}", ["all", "plugin"], id="the plugin's"),
        pytest.param("{imagePullSecrets: [{name: gfd}]}", ["all", "gfd", "plugin"], id="its own too"),
        pytest.param("{image: {repository: a.example/g}}", ["all"], id="an image from elsewhere"),
    ],
)
def test_gfd_pulls_with_the_secrets_of_the_image_that_it_uses(tmp_path: Path, gfd: str, secrets: list[str]) -> None:
    stack = stack_with("imagePullSecrets: [{name: plugin}]", gfd, imagePullSecrets="[{name: all}]")
    found = facts.pod(build(tmp_path, stack)[GFD])["spec"]["imagePullSecrets"]
    assert [item["name"] for item in found] == secrets


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        pytest.param("{}", "mirror.example/x/nvcr.io/nvidia/k8s-device-plugin:v0.20.0", id="mirrored"),
        pytest.param("{repository: own.example/p}", "own.example/p:v0.20.0", id="the user's own is taken as it is"),
        pytest.param(
            f"{{digest: 'sha256:{'a' * 64}'}}",
            f"mirror.example/x/nvcr.io/nvidia/k8s-device-plugin:v0.20.0@sha256:{'a' * 64}",
            id="with a digest",
        ),
    ],
)
def test_a_mirror_stands_in_front_of_every_image(tmp_path: Path, image: str, expected: str) -> None:
    found = build(tmp_path, stack_with(f"image: {image}", registryPrefix="mirror.example/x"))
    assert container(found[PLUGIN])["image"] == expected


@pytest.mark.parametrize(
    ("profiling", "added", "published"), [("true", ["SYS_ADMIN"], True), ("false", None, False)], ids=["on", "off"]
)
def test_profiling_brings_fields_and_the_right_that_they_need(
    tmp_path: Path, profiling: str, added: list[str] | None, *, published: bool
) -> None:
    found = build(tmp_path, stack_with(exporter=f"profiling: {profiling}"))
    (config,) = (obj for name, obj in found.items() if name.startswith("ConfigMap/dcgm-exporter-counters"))
    capabilities = container(found[EXPORTER])["securityContext"]["capabilities"]
    assert (capabilities.get("add"), "DCGM_FI_PROF_" in config["data"]["counters.csv"]) == (added, published)


def test_every_line_of_the_counters_has_three_fields(tmp_path: Path) -> None:
    found = build(tmp_path, stack_with(exporter="profiling: true"))
    (config,) = (obj for name, obj in found.items() if name.startswith("ConfigMap/dcgm-exporter-counters"))
    assert {line.count(",") for line in config["data"]["counters.csv"].splitlines()} == {2}


def test_a_counter_of_the_user_s_replaces_gpuc_s_of_the_same_field(tmp_path: Path) -> None:
    counter = "{field: DCGM_FI_DEV_GPU_TEMP, type: gauge, help: Hot}"
    found = build(tmp_path, stack_with(exporter=f"counters: [{counter}]"))
    (config,) = (obj for name, obj in found.items() if name.startswith("ConfigMap/dcgm-exporter-counters"))
    lines = [line for line in config["data"]["counters.csv"].splitlines() if "GPU_TEMP," in line]
    assert lines == ["DCGM_FI_DEV_GPU_TEMP, gauge, Hot"]


@pytest.mark.parametrize(
    ("more", "there"),
    [
        pytest.param({}, {"Namespace", "RuntimeClass", "NodeFeatureRule", "CustomResourceDefinition"}, id="nothing"),
        pytest.param(
            {"namespace": "{name: gpu, managed: external}"},
            {"RuntimeClass", "NodeFeatureRule", "CustomResourceDefinition"},
            id="namespace",
        ),
        pytest.param(
            {"runtimeClass": "{managed: external}"},
            {"Namespace", "NodeFeatureRule", "CustomResourceDefinition"},
            id="RuntimeClass",
        ),
        pytest.param(
            {"nodeFeatureDiscovery": "{managed: external, labels: [a.example/b]}"},
            {"Namespace", "RuntimeClass", "NodeFeatureRule"},
            id="NFD without the label",
        ),
        pytest.param(
            {"nodeFeatureDiscovery": "{managed: external, labels: [nvidia.com/gpu.present]}"},
            {"Namespace", "RuntimeClass"},
            id="NFD with the label",
        ),
    ],
)
def test_what_the_cluster_has_is_not_compiled_twice(tmp_path: Path, more: dict[str, str], there: set[str]) -> None:
    lines = [line for line in stack_with().splitlines() if line.partition(":")[0] not in more]
    stack = "\n".join([*lines, *(f"{key}: {value}" for key, value in more.items())]) + "\n"
    kinds = {obj["kind"] for obj in build(tmp_path, stack).values()}
    looked_for = {"Namespace", "RuntimeClass", "NodeFeatureRule", "CustomResourceDefinition"}
    assert kinds & looked_for == there


def test_a_stack_without_gfd_has_nothing_of_it(tmp_path: Path) -> None:
    found = build(tmp_path, stack_with(gfd="{enabled: false}"))
    assert [name for name in found if "gpu-feature-discovery" in name] == []


@pytest.mark.parametrize("exporter", ["", "enabled: false"], ids=["no ServiceMonitor", "no exporter"])
def test_without_a_service_monitor_there_is_no_monitoring_root(tmp_path: Path, exporter: str) -> None:
    built = compiled(tmp_path, stack=stack_with(exporter=exporter))
    assert [root for root in built.tree.roots if root.endswith("/monitoring")] == []


def test_a_label_of_the_user_s_is_added_to_those_that_select_the_pods(tmp_path: Path) -> None:
    plugin = build(tmp_path, stack_with("labels: {example.com/z: z}"))[PLUGIN]
    assert facts.unselected_pods([plugin]) == []
    assert facts.pod(plugin)["metadata"]["labels"]["example.com/z"] == "z"


@pytest.mark.parametrize("key", ["component", "instance", "managed-by", "name"])
def test_a_label_of_the_user_s_cannot_take_pods_from_their_workload(tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError, match=f"must not set app.kubernetes.io/{key}, which gpuc sets"):
        build(tmp_path, stack_with(f"labels: {{app.kubernetes.io/{key}: x}}"))


@pytest.mark.parametrize("part", ["master", "gc"])
def test_a_deployment_takes_no_update_strategy(tmp_path: Path, part: str) -> None:
    stack = STACK.replace("version: v0.19.0", f"version: v0.19.0, {part}: {{updateStrategy: {{type: OnDelete}}}}")
    with pytest.raises(InputError, match="unknown key `updateStrategy`"):
        build(tmp_path, stack)
