"""Runs the rules on what lint sees, as surely as what is known allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from compiler.check import check_config, rules_on
from compiler.check.chartvalues import ChartRule, ChartValues
from compiler.check.objects.programs import Program, running
from compiler.check.pluginconfig import plugin_configs, read_config, requested_resources
from compiler.check.rule import SceneRule
from compiler.check.rules.values_choice import CONFIG_LABEL
from compiler.check.rules.values_hooks import brings_nfd
from compiler.check.scene import Located, NodeFacts, Scene
from compiler.check.talosfile import TalosRule
from compiler.diagnostics import Diagnostic, Place, Severity, sorted_unique
from compiler.lint.clusters import by_cluster
from compiler.lint.nodes import tolerated_taints
from compiler.lint.rendered import rendered
from compiler.lint.rendered.making import UNKNOWN_NAMESPACE
from compiler.lint.sight import Sight
from compiler.lint.talos import default_runtime, gpu_taints, node_labels
from compiler.model.kube import Taint

TAINTS: Final = frozenset({"GPU203", "GPU204"})
_UNLESS_NODES_KNOWN: Final = frozenset({"GPU203", "GPU204", "GPU205"})
"""Findings that some nodes would make groundless."""
_ON_TALOS: Final = frozenset({"GPU208", "GPU225", "GPU708"})
_ANY_TALOS: Final = (1, 13)
"""Stands for a release that nobody names; what is judged by it fails on the others too, or needs CDI."""
_LABELS: Final = "GPU201"
_MORE: Final = (
    "more may be applied to the cluster than these files: what is missing in them is a warning; if they are all there "
    "is, pass --complete"
)
_OF_THE_OPERATOR: Final = frozenset({"nvidia.com/gpu.present"})
_MONITORING: Final = ("servicemonitors", "podmonitors", "prometheusrules")
_NFD_CRDS: Final = ("nodefeatures", "nodefeaturerules", "nodefeaturegroups")


@dataclass(frozen=True)
class Known:
    """What the user says: of the nodes, of the platform, and whether the files are all that is applied."""

    pools: tuple[NodeFacts, ...] | None = None
    talos: tuple[int, int] | None = None
    complete: bool = False
    seen_on_cluster: bool = False
    assumptions: tuple[str, ...] = ()


@dataclass
class Judgement:
    """What rules found, in printing order, and what had to be assumed."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)


def judge(sight: Sight, known: Known) -> Judgement:
    """Return what the rules find in everything that lint sees."""
    labelled = CONFIG_LABEL in node_labels(sight.talos) or any(CONFIG_LABEL in p.labels for p in known.pools or ())
    charts = [replace(values, labelled=labelled) for values in sight.charts]
    made = [obj for values in charts for obj in rendered(values)]
    judgement = Judgement(assumptions=list(known.assumptions))
    found = [*sight.problems]
    for values in charts:
        found += [item for rule in rules_on(ChartRule) for item in rule.run(values)]
    for file in sight.talos:
        found += [item for rule in rules_on(TalosRule) for item in rule.run(file)]
    groups = by_cluster([*sight.objects, *made])
    for group in groups:
        found += _judge_cluster(_Cluster(sight, known, charts, group), judgement)
    asked = requested_resources(Scene(sight.objects, None))
    for config in sight.configs:
        found += check_config(replace(config, requested=asked))
    if len(groups) > 1:
        judgement.assumptions.append(f"the files are for {len(groups)} clusters: some objects are there several times")
    unread = [values.what for values in charts if values.partial]
    if unread:
        judgement.assumptions.append(
            f"values of {', '.join(sorted(set(unread)))} that come from elsewhere were not read and change nothing here"
        )
    if sight.unsure:
        judgement.assumptions.append(
            "what kustomize's patches change is not judged: lint what `kustomize build` prints"
        )
    judgement.assumptions = list(dict.fromkeys(judgement.assumptions))
    told = {item.place for item in found if item.rule == "GPU604"}
    found = [item for item in found if item.rule != "GPU246" or item.place not in told]
    judgement.diagnostics = sorted_unique(_once_a_place(item for item in found if _concerns(sight, item)))
    return judgement


def _concerns(sight: Sight, found: Diagnostic) -> bool:
    """Return whether a finding has to do with GPUs; whole repositories hold much that has not."""
    return found.place is None or found.place.path in sight.named or sight.about_gpus(found.place)


@dataclass(frozen=True)
class _Cluster:
    sight: Sight
    known: Known
    charts: Sequence[ChartValues]
    objects: Sequence[Located]


def _judge_cluster(cluster: _Cluster, judgement: Judgement) -> Iterator[Diagnostic]:
    scene, known = _scene(cluster), cluster.known
    made = {id(item) for item in cluster.objects if item.traced}
    found = list(_on_scene(scene, made))
    if scene.whole and not known.complete:
        found = list(_weaker_if_missing(found, _on_scene(replace(scene, whole=False), made), judgement))
    if scene.pools is None and any(running(scene, *Program)):
        taints = tuple(dict.fromkeys((*tolerated_taints(scene), *gpu_taints(cluster.sight.talos))))
        found += _with_taints(scene, taints)
        judgement.assumptions.append(_about_nodes(taints))
    if scene.pools is None and scene.default_runtime is not None:
        found += _on_talos(scene, known.talos or _ANY_TALOS)
    for item in found:
        if _is_patched(cluster.sight, item.place):
            continue
        unsure = scene.pools is None and item.rule in _UNLESS_NODES_KNOWN
        yield replace(item, severity=Severity.WARNING) if unsure else item


def _weaker_if_missing(
    found: Iterable[Diagnostic], certain: Iterable[Diagnostic], judgement: Judgement
) -> Iterator[Diagnostic]:
    """Yield findings, as warnings where they hold only if nothing else is applied to the cluster.

    Who makes a label is known as well as it can be where NFD is in sight, or the nodes themselves.
    """
    sure = {(item.rule, item.place) for item in certain}
    for item in found:
        if (item.rule, item.place) in sure or item.rule == _LABELS:
            yield item
        else:
            judgement.assumptions.append(_MORE)
            yield replace(item, severity=Severity.WARNING)


def _is_patched(sight: Sight, place: Place | None) -> bool:
    document = sight.document_at(place) if place is not None and sight.unsure else None
    return document is not None and (document.path, document.first) in sight.unsure


def _about_nodes(taints: tuple[Taint, ...]) -> str:
    if not taints:
        return "nodes are not known, so that taints are not judged: pass --node, --nodes or --overlay"
    listed = ", ".join(f"{taint.key}={taint.value}:{taint.effect}" for taint in taints)
    return (
        f"nodes are not known: GPU nodes are taken to have the taint {listed}, which these files name; "
        "pass --node, --nodes or --overlay"
    )


def _with_taints(scene: Scene, taints: tuple[Taint, ...]) -> Iterator[Diagnostic]:
    """Yield what would not run on nodes with some taints; nothing else about the nodes is known."""
    if not taints:
        return
    pools = (NodeFacts("gpu-nodes (assumed)", (), {}, taints),)
    supposed = replace(scene, pools=pools)
    for rule in rules_on(SceneRule):
        if rule.code in TAINTS:
            yield from rule.run(supposed)


def _on_talos(scene: Scene, release: tuple[int, int]) -> Iterator[Diagnostic]:
    """Yield what fails on Talos; that much is known of nodes of which nothing else is."""
    supposed = replace(scene, pools=(NodeFacts("Talos nodes", (), {}, (), release),))
    for rule in rules_on(SceneRule):
        if rule.code in _ON_TALOS:
            yield from rule.run(supposed)


def _scene(cluster: _Cluster) -> Scene:
    sight, known = cluster.sight, cluster.known
    crds = {f"{name}.monitoring.coreos.com" for name in _MONITORING}
    if any(brings_nfd(values) and values.inflation is None for values in cluster.charts):
        crds |= {f"{name}.nfd.k8s-sigs.io" for name in _NFD_CRDS}
    namespaces = {("Namespace", UNKNOWN_NAMESPACE)}
    if not known.complete:
        # Helm, Flux and Argo CD can create the namespace of a release themselves.
        namespaces |= {("Namespace", item.namespace) for item in cluster.objects if item.traced}
    talos = known.talos is not None or bool(sight.talos) or any(pool.talos for pool in known.pools or ())
    scene = Scene(
        tuple(cluster.objects),
        known.pools,
        node_labels(sight.talos) | (_OF_THE_OPERATOR if sight.operator else frozenset()),
        frozenset(crds),
        frozenset({*namespaces, *sight.kustomize.generated}),
        default_runtime=default_runtime(sight.talos) if talos else None,
    )
    programs = {Program.PLUGIN, Program.EXPORTER}
    stack = not sight.operator and any(running(scene, *programs)) and any(running(scene, Program.NFD_WORKER))
    return replace(scene, whole=known.complete or known.seen_on_cluster or stack)


def _on_scene(scene: Scene, made: set[int]) -> Iterator[Diagnostic]:
    """Yield the findings of a scene, and of the plugin's configurations in it."""
    for rule in rules_on(SceneRule):
        yield from rule.run(scene)
    for config in plugin_configs(scene):
        yield from check_config(config)
    # config.map of a chart holds configurations whatever they look like.
    yield from _configs_of_charts(scene, made)


def _configs_of_charts(scene: Scene, made: set[int]) -> Iterator[Diagnostic]:
    asked = requested_resources(scene)
    for item in scene.of_kind("ConfigMap"):
        if id(item) in made and item.name.endswith("-configs"):
            for name, content in item.obj["data"].items():
                place = partial(_entry, item, name)
                yield from check_config(read_config(content, f"{name} of ConfigMap {item.name}", place, asked))


def _entry(item: Located, name: str, route: tuple[str | int, ...], /, *, key: bool = False) -> Place:
    return item.place(("data", name, *route), key=key)


def _once_a_place(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings without those that repeat a rule at a place, as when several pods take one value of a chart."""
    first: dict[tuple[str, Place | None, str | None], Diagnostic] = {}
    for item in found:
        key = (item.rule, item.place, item.help)
        if key not in first or (item.is_error and not first[key].is_error):
            first[key] = item
    return list(first.values())
