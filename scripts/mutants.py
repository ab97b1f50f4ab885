"""Mutation testing of the rules on objects: does a change to a rule's logic make one of its inputs fail?

Each `if`, comparison and `and`/`or` of a rule is turned round, one at a time, and the rule is asked about its own
inputs in tests/check/scene/inputs/. A mutant that finds exactly what the inputs say has survived: an input is missing,
or the condition makes no difference there (a message's wording, a default for an odd shape). Run it as
`python -m scripts.mutants [RULE...]`; it prints the survivors.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from compiler.check import rules
from compiler.check.rule import SceneRule
from tests.check.scene.fixtures import expected, scene_of

ROOT = Path(__file__).parents[1]
INPUTS = ROOT / "tests/check/scene/inputs"
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def mutants(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Yield each mutant with the line and the text of what was turned round."""
    count = sum(1 for _ in ast.walk(tree))
    for index in range(count):
        changed = copy.deepcopy(tree)
        node = list(ast.walk(changed))[index]
        before = ast.unparse(node) if isinstance(node, ast.If | ast.IfExp | ast.Compare | ast.BoolOp) else ""
        if isinstance(node, ast.If | ast.IfExp):
            before = f"if {ast.unparse(node.test)}"
            node.test = ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in _TURNED:
            node.ops[0] = _TURNED[type(node.ops[0])]()
        elif isinstance(node, ast.BoolOp):
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        else:
            continue
        yield node.lineno, before, ast.fix_missing_locations(changed)


def load(tree: ast.Module, path: Path) -> SceneRule | None:
    """Run a module's code and return its rule, if it is one on objects."""
    module = ModuleType(path.stem)
    exec(compile(tree, str(path), "exec"), module.__dict__)  # noqa: S102 -- a module of this repository, turned round
    rule = module.__dict__.get("RULE")
    return rule if isinstance(rule, SceneRule) else None


def survives(rule: SceneRule, inputs: list[tuple[str, str]]) -> bool:
    """Return whether a rule finds exactly what its inputs say."""
    for text, name in inputs:
        try:
            found = [(item.rule, item.severity.value, item.place) for item in set(rule.run(scene_of(text, name)))]
        except Exception:  # noqa: BLE001 -- a mutant that breaks is found out
            return False
        here = sorted((code, severity, place.line, place.column) for code, severity, place in found if place)
        if here != [item for item in expected(text) if item[0] == rule.code]:
            return False
    return True


def main(wanted: list[str]) -> int:
    """Print the survivors; return 1 where an unchanged rule does not find what its inputs say."""
    made = alive = 0
    for path in sorted(Path(rules.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        rule = load(tree, path) if path.stem != "__init__" else None
        if rule is None or (wanted and rule.name not in wanted and rule.code not in wanted):
            continue
        inputs = [(file.read_text(encoding="utf-8"), file.name) for file in sorted((INPUTS / rule.name).glob("*.yaml"))]
        if not survives(rule, inputs):
            print(f"{rule.code} {rule.name}: does not find what its inputs say")
            return 1
        for line, text, changed in mutants(tree):
            made += 1
            mutant = load(changed, path)
            if mutant is None or survives(mutant, inputs):
                alive += 1
                print(f"{path.relative_to(ROOT)}:{line}: {rule.code} survives: {text}")
    print(f"{made} mutants, {alive} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
