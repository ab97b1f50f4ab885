"""What becomes of the values of nvidia-device-plugin's chart."""

from __future__ import annotations

from typing import Final

from compiler.check.chartvalues import NFD, ChartValues, Setting
from compiler.importer import configs
from compiler.importer.handlers import PATCH, Handler, anyway, cannot, is_unset, to, unset
from compiler.importer.pods import each, repository, resources, tag, update_strategy
from compiler.importer.report import Outcome, in_overlay, in_stack
from compiler.importer.selection import selection
from compiler.importer.state import Import
from compiler.importer.tolerations import tolerations

_PLUGIN, _GFD = ("devicePlugin",), ("gpuFeatureDiscovery",)
_NAMES: Final = "gpuc names its objects itself; nothing but selectors refers to the names"
EXTERNAL_LABEL: Final = "feature.node.kubernetes.io/pci-0300_10de.present"


def _list_strategy(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    items = [item.strip() for item in str(setting.value).split(",") if item.strip()]
    state.stack(values, setting.route, items, ("devicePlugin", "deviceListStrategy"), written=setting.value)


def _mig(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value):
        unset(state, values, setting)
    elif setting.value == "none":
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, "gpuc's default")
    else:
        state.mig = str(setting.value)
        where = in_overlay("nodePools", 0, "mig", "strategy")
        state.add(values, setting.route, setting.value, Outcome.TRANSLATED, "of every node pool", targets=where)


def _gfd(state: Import, values: ChartValues, setting: Setting) -> None:
    state.stack(values, setting.route, bool(setting.value), ("gpuFeatureDiscovery", "enabled"))


def _nfd(state: Import, values: ChartValues, setting: Setting) -> None:
    if setting.value is not False:
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, "gpuc brings NFD")
    elif NFD in state.charts:
        why = "NFD is among the files, and gpuc compiles it together with the plugin"
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)
    else:
        state.draft.put("stack", ("nodeFeatureDiscovery",), {"managed": "external", "labels": [EXTERNAL_LABEL]})
        state.draft.comments["stack", ("nodeFeatureDiscovery",)] = (
            "NFD is somebody else's: these are labels that it makes."
        )
        where = in_stack("nodeFeatureDiscovery")
        wants = (
            "the chart's affinity wants feature.node.kubernetes.io/pci-10de.present, which NFD makes only when its "
            "deviceLabelFields are [vendor]: NFD's own defaults make pci-0300_10de.present, and no pod appears. "
        )
        said = (
            wants if values.set("affinity") is None else ""
        ) + f"NFD is taken for external, and for making {EXTERNAL_LABEL}"
        cure = "correct the labels, import NFD's values too, or delete `nfd.enabled` and let gpuc bring NFD"
        state.add(values, setting.route, setting.value, Outcome.QUESTION, said, cure, targets=where)


def _runtime(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value):
        unset(state, values, setting)
    else:
        state.translated(values, setting, ("runtimeClass", "name"))


def _security(state: Import, values: ChartValues, setting: Setting) -> None:
    usual = setting.value in ({"privileged": True}, {}) and setting.path == "gfd.securityContext"
    if is_unset(setting.value) or usual:
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, "gpuc gives the least that works")
    else:
        target = _GFD if setting.path.startswith("gfd.") else _PLUGIN
        each((*target, "securityContext"))(state, values, setting)


def _namespace(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    if state.choices.namespace is None:
        state.draft.put("stack", ("namespace",), setting.value)
    state.add(values, setting.route, setting.value, Outcome.TRANSLATED, targets=in_stack("namespace"))


NAMESPACE: Final[Handler] = _namespace
RUNTIME: Final[Handler] = _runtime
_EXTRA: Final = "gpuc has no setting for it: the plugin reads it from its environment"
_VARIABLE: Final = "add the variable to `devicePlugin.env` and the mount by a patch"
TABLE: Final[dict[str, Handler]] = {
    "affinity": selection,
    "allowDefaultNamespace": anyway("the stack has a namespace of its own"),
    "cdi.featureFlags": cannot(_EXTRA, "add NVIDIA_CDI_FEATURE_FLAGS to `devicePlugin.env`"),
    "cdi.nvidiaHookPath": to((*_PLUGIN, "cdi", "hookPath")),
    "compatWithCPUManager": to((*_PLUGIN, "passDeviceSpecs")),
    "config.default": configs.default_name,
    "config.fallbackStrategies": anyway("every pool has one configuration, so there is nothing to fall back to"),
    "config.map": configs.profiles,
    "config.name": configs.own_config_map,
    "deviceDiscoveryStrategy": to((*_PLUGIN, "deviceDiscoveryStrategy")),
    "deviceIDStrategy": to((*_PLUGIN, "deviceIDStrategy")),
    "deviceListStrategy": _list_strategy,
    "devicePlugin.enabled": anyway("a stack always has the plugin", usual=True),
    "devicePlugin.enableHostNetwork": cannot("gpuc's plugin has a network of its own", PATCH, usual=False),
    "failOnInitError": to((*_PLUGIN, "failOnInitError")),
    "fullnameOverride": cannot(_NAMES, "nothing to do"),
    "gdrcopyEnabled": cannot(_EXTRA, _VARIABLE, usual=False),
    "gdsEnabled": cannot(_EXTRA, _VARIABLE, usual=False),
    "gfd.enableHostNetwork": cannot("gpuc's GPU Feature Discovery has a network of its own", PATCH, usual=False),
    "gfd.enabled": _gfd,
    "gfd.nameOverride": cannot(_NAMES, "nothing to do"),
    "gfd.namespaceOverride": cannot("a stack has one namespace", "leave it out"),
    "gfd.securityContext": _security,
    "image.pullPolicy": to((*_PLUGIN, "image", "pullPolicy")),
    "image.repository": repository("devicePlugin", "nvcr.io/nvidia/k8s-device-plugin"),
    "image.tag": tag("devicePlugin"),
    "imagePullSecrets": to((*_PLUGIN, "imagePullSecrets")),
    "migStrategy": _mig,
    "mofedEnabled": cannot(_EXTRA, _VARIABLE, usual=False),
    "mps.enableHostNetwork": cannot("gpuc's MPS daemon has a network of its own", PATCH, usual=False),
    "mps.enableHostPID": anyway("the MPS daemon needs the node's process IDs", usual=True),
    "mps.root": to((*_PLUGIN, "mpsRoot")),
    "nameOverride": cannot(_NAMES, "nothing to do"),
    "namespaceOverride": _namespace,
    "nfd.enabled": _nfd,
    "nfd.nameOverride": cannot(_NAMES, "nothing to do"),
    "noTimestamp": to((*_GFD, "noTimestamp")),
    "nodeSelector": selection,
    "nvidiaDevRoot": cannot(_EXTRA, "add NVIDIA_DEV_ROOT to `devicePlugin.env`", usual="/"),
    "nvidiaDriverRoot": to((*_PLUGIN, "nvidiaDriverRoot")),
    "podAnnotations": each((*_PLUGIN, "annotations"), (*_GFD, "annotations")),
    "podSecurityContext": cannot("each pod has one container", "say it in `securityContext`, or by a patch"),
    "priorityClassName": to((*_PLUGIN, "priorityClassName"), (*_GFD, "priorityClassName")),
    "resources": resources(_PLUGIN, _GFD),
    "runtimeClassName": _runtime,
    "securityContext": _security,
    "selectorLabelsOverride": cannot("gpuc's selectors keep its workloads apart", "leave it out"),
    "sleepInterval": to((*_GFD, "sleepInterval")),
    "tolerations": tolerations((*_PLUGIN, "tolerations"), (*_GFD, "tolerations")),
    "updateStrategy": update_strategy(_PLUGIN, _GFD),
}
