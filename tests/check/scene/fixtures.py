"""Reads the inputs of the rules on finished objects: manifests, with what is known of the nodes in front of them.

An input's first document is of kind Scene and says what the objects do not: node pools, and what exists already. A
comment `#! GPU203@9` at the end of a line says that the rule GPU203 must point at column 9 of that line, and
`#! GPU203@9 warning` that it must only warn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from compiler.check import rules_on
from compiler.check.rule import SceneRule
from compiler.check.scene import Located, NodeFacts, Scene
from compiler.diagnostics import Diagnostic, sorted_unique
from compiler.load import Document, load_text
from compiler.model.kube import Taint

HERE = Path(__file__).parent
INPUTS = sorted((HERE / "inputs").glob("*/*.yaml"))
_MARK = re.compile(r"(GPU\d{3})@(\d+)( warning)?")

Expected = tuple[str, str, int, int]


def documents(text: str, path: str) -> Iterator[Document]:
    """Yield the documents of a file; each knows its places in the whole file."""
    start = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate([*lines, "---\n"]):
        if line.rstrip() == "---":
            chunk = "".join(lines[start:number])
            if any(part.strip() and not part.startswith("#") for part in chunk.splitlines()):
                yield load_text("\n" * start + chunk, path)
            start = number + 1


def scene_of(text: str, path: str = "stack.yaml", **facts: Any) -> Scene:
    """Return the scene that an input describes; `facts` are more of the Scene's fields."""
    found = list(documents(text, path))
    if found and found[0].data["kind"] == "Scene":
        facts = {**facts_of(found.pop(0).data), **facts}
    return Scene([Located(document.data, document.place) for document in found], **{"pools": None, **facts})


def facts_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return a Scene's fields from the document that describes them."""
    facts: dict[str, Any] = {"whole": data.get("whole", True), "default_runtime": data.get("defaultRuntime")}
    if "pools" in data:
        facts["pools"] = tuple(pool_of(item) for item in data["pools"])
    facts["external_labels"] = frozenset(data.get("externalLabels", ()))
    facts["external_crds"] = frozenset(data.get("externalCrds", ()))
    facts["external_names"] = frozenset((kind, name) for kind, name in data.get("externalNames", ()))
    return facts


def pool_of(item: dict[str, Any]) -> NodeFacts:
    """Return a node pool from its description."""
    talos = item.get("talos")
    return NodeFacts(
        item["name"],
        tuple(item.get("nodes", ())),
        item.get("labels", {}),
        tuple(Taint(**taint) for taint in item.get("taints", ())),
        (int(talos.split(".")[0]), int(talos.split(".")[1])) if talos else None,
        item.get("advertised"),
        cards=item.get("cards"),
        sharing=item.get("sharing"),
    )


def object_rules() -> Sequence[SceneRule]:
    """Return the rules GPU201 to GPU299."""
    return [rule for rule in rules_on(SceneRule) if rule.code.startswith("GPU2")]


def run(scene: Scene) -> list[Diagnostic]:
    """Return what the rules find."""
    return sorted_unique([found for rule in object_rules() for found in rule.run(scene)])


def expected(text: str) -> list[Expected]:
    """Return what an input's comments say must be found: code, severity, line, column."""
    return sorted(
        (code, "warning" if warning else "error", number, int(column))
        for number, line in enumerate(text.splitlines(), 1)
        for code, column, warning in _MARK.findall(line.partition("#!")[2])
    )
