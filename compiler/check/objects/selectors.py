"""What label selectors match, and which pods of a namespace one selects."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.check.objects.plain import items, mapping, strings, text, texts
from compiler.check.scene import PodTemplate, Scene, pod_templates
from compiler.objects import Json


def matches(selector: Json, labels: Mapping[str, str]) -> bool:
    """Return whether labels satisfy a LabelSelector; an empty one is satisfied by all, as the API server has it."""
    wanted = mapping(mapping(selector).get("matchLabels"))
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(item, labels) for _, item in items(mapping(selector).get("matchExpressions"))
    )


def _holds(expression: Json, labels: Mapping[str, str]) -> bool:
    value = labels.get(text(expression.get("key")))
    match expression.get("operator"):
        case "In":
            return value in strings(expression.get("values"))
        case "NotIn":
            return value not in strings(expression.get("values"))
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False


def selected(scene: Scene, namespace: str, selector: Json) -> list[PodTemplate]:
    """Return the pods of a namespace that a LabelSelector selects."""
    by_label = scene.once(_pods_by_label)
    wanted = texts(mapping(selector).get("matchLabels"))
    # The label that fewest pods have: a look through all pods for each selector would be quadratic in the pools.
    candidates = min((by_label.get((namespace, *pair), []) for pair in wanted.items()), key=len, default=None)
    if candidates is None:
        candidates = scene.once(_pods_by_namespace).get(namespace, [])
    return [pod for pod in candidates if matches(selector, pod.labels)]


def _pods_by_label(scene: Scene) -> dict[tuple[str, str, str], list[PodTemplate]]:
    found: dict[tuple[str, str, str], list[PodTemplate]] = {}
    for pod in pod_templates(scene):
        for key, value in texts(pod.labels).items():
            found.setdefault((pod.owner.namespace, key, value), []).append(pod)
    return found


def _pods_by_namespace(scene: Scene) -> dict[str, list[PodTemplate]]:
    found: dict[str, list[PodTemplate]] = {}
    for pod in pod_templates(scene):
        found.setdefault(pod.owner.namespace, []).append(pod)
    return found
