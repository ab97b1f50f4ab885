"""worker4's objects against those that NVIDIA's and NFD's charts render for the same settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.objects import Obj
from compiler.pipeline import build
from tests.parity.compare import Listed, Outcome, comparable, compare, read_list

ROOT = Path(__file__).parents[2]
DIFFERENCES = Path(__file__).with_name("differences.yaml").read_text("utf-8")
UPSTREAM = {
    "time-slicing": ROOT / "../shared/oracle/upstream-objects.json",
    "mps": ROOT / "../shared/oracle/upstream-objects-mps.json",
}
SHARING = {
    "time-slicing": "sharing: {strategy: time-slicing, replicas: 5}",
    "mps": "sharing: {strategy: mps, replicas: 4}",
}


def worker4(sharing: str, folder: Path) -> list[Obj]:
    """Return worker4's compiled objects, with the card shared in another way."""
    # Its workloads would not fit into the equal parts that MPS makes of the card.
    overlay, _, _ = (ROOT / "overlays/worker4/overlay.yaml").read_text("utf-8").partition("workloads:\n")
    assert SHARING["time-slicing"] in overlay
    for path, text in {
        "base/stack.yaml": (ROOT / "base/stack.yaml").read_text("utf-8"),
        "overlays/worker4/overlay.yaml": overlay.replace(SHARING["time-slicing"], SHARING[sharing]),
    }.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text, "utf-8")
    roots = build(folder).tree.roots
    return [comparable(obj) for name, root in roots.items() if name.startswith("overlays/") for obj in root.expected]


def upstream(sharing: str) -> list[Obj]:
    path = UPSTREAM[sharing]
    if not path.exists():
        pytest.skip(f"the charts' rendered objects are not at hand: {path.relative_to(ROOT)}")
    objects: list[Obj] = json.loads(path.read_text("utf-8"))
    return objects


@pytest.mark.parametrize("sharing", SHARING)
def test_every_difference_from_the_charts_is_on_the_list_and_still_there(sharing: str, tmp_path: Path) -> None:
    listed = read_list(DIFFERENCES, sharing)
    outcome = compare(upstream(sharing), worker4(sharing, tmp_path), listed)
    assert outcome == Outcome()


THEIRS: Obj = {
    "kind": "DaemonSet",
    "metadata": {"name": "theirs", "labels": {"a.b/c": "x"}},
    "spec": {
        "containers": [{"name": "old", "env": [{"name": "A", "value": "1"}], "args": ["-v"]}],
        "volumes": [{"name": "config", "configMap": {"name": "theirs"}}],
    },
}
OURS: Obj = {
    "kind": "DaemonSet",
    "metadata": {"name": "ours-abc", "labels": {"a.b/c": "x"}},
    "spec": {
        "containers": [{"name": "new", "env": [{"name": "A", "value": "2"}], "args": ["-v"]}],
        "volumes": [{"name": "config", "configMap": {"name": "data-xyz"}}],
    },
}
CONFIG: Obj = {"kind": "ConfigMap", "metadata": {"name": "theirs"}, "data": {}}
OUR_CONFIG: Obj = {"kind": "ConfigMap", "metadata": {"name": "data-xyz"}, "data": {}}
VALUE = {
    "objects": ["DaemonSet/*"],
    "path": "spec.containers[*].env[A].value",
    "upstream": "1",
    "ours": "2",
    "reason": "two is more than one",
}


def listing(*fields: dict[str, Any], added: tuple[str, ...] = (), left_out: tuple[str, ...] = ()) -> Listed:
    """Return a list for the two pairs of objects above."""
    because = {"reason": "a reason of several words"}
    document = {
        "pairs": [
            {
                "upstream": "DaemonSet/theirs",
                "ours": "DaemonSet/ours-*",
                "renamed": {"containers": {"old": "new"}},
                **because,
            },
            {"upstream": "ConfigMap/theirs", "ours": "ConfigMap/data-*", **because},
        ],
        "leftOut": [{"object": name, **because} for name in left_out],
        "added": [{"object": name, **because} for name in added],
        "fields": list(fields),
    }
    return read_list(json.dumps(document), "none")


def test_a_listed_difference_passes_and_references_follow_the_pairs() -> None:
    assert compare([THEIRS, CONFIG], [OURS, OUR_CONFIG], listing(VALUE)) == Outcome()


@pytest.mark.parametrize(
    ("fields", "unlisted"),
    [
        pytest.param((), ["spec.containers[new].env[A].value: upstream has '1', gpuc has '2'"], id="not listed"),
        pytest.param(({**VALUE, "ours": "3"},), ["upstream has '1', gpuc has '2'"], id="ours is another"),
        pytest.param(({**VALUE, "upstream": "0"},), ["upstream has '1', gpuc has '2'"], id="upstream's is another"),
        pytest.param(({**VALUE, "objects": ["Deployment/*"]},), ["gpuc has '2'"], id="of another object"),
        pytest.param(({**VALUE, "path": "spec"},), ["gpuc has '2'"], id="of another field"),
    ],
)
def test_an_unlisted_difference_fails(fields: tuple[dict[str, Any], ...], unlisted: list[str]) -> None:
    outcome = compare([THEIRS, CONFIG], [OURS, OUR_CONFIG], listing(*fields))
    assert [expected in found for expected, found in zip(unlisted, outcome.unlisted, strict=True)] == [True]


@pytest.mark.parametrize(
    ("listed", "stale"),
    [
        pytest.param(listing(VALUE, {**VALUE, "path": "spec.replicas"}), "spec.replicas", id="a field"),
        pytest.param(listing({**VALUE, "objects": ["DaemonSet/*", "Job/*"]}), "Job/*, in", id="one object of a field"),
        pytest.param(listing(VALUE, added=("Role/x",)), "gpuc's Role/x", id="an added object"),
        pytest.param(listing(VALUE, left_out=("Role/x",)), "upstream's Role/x", id="an object left out"),
    ],
)
def test_a_listed_difference_that_no_longer_occurs_fails(listed: Listed, stale: str) -> None:
    outcome = compare([THEIRS, CONFIG], [OURS, OUR_CONFIG], listed)
    assert [stale in found for found in outcome.stale] == [True]


def test_a_renaming_that_no_longer_occurs_fails() -> None:
    without: Obj = {**THEIRS, "spec": {**THEIRS["spec"], "containers": []}}
    assert "container old of DaemonSet/theirs" in compare([without, CONFIG], [OURS, OUR_CONFIG], listing(VALUE)).stale


@pytest.mark.parametrize(
    ("theirs", "ours", "unlisted"),
    [
        ([THEIRS, CONFIG, {**CONFIG, "kind": "Job"}], [OURS, OUR_CONFIG], ["upstream has Job/theirs"]),
        ([THEIRS, CONFIG], [OURS, OUR_CONFIG, {**CONFIG, "kind": "Job"}], ["gpuc has Job/theirs"]),
    ],
    ids=["upstream's", "gpuc's"],
)
def test_an_object_that_is_in_no_pair_fails(theirs: list[Obj], ours: list[Obj], unlisted: list[str]) -> None:
    assert compare(theirs, ours, listing(VALUE)).unlisted == unlisted


def test_a_pair_without_its_object_fails() -> None:
    outcome = compare([THEIRS, CONFIG], [OURS], listing(VALUE))
    assert "the pair ConfigMap/theirs and ConfigMap/data-*" in outcome.stale


def test_an_entry_without_a_reason_is_refused() -> None:
    with pytest.raises(AssertionError):
        listing({**VALUE, "reason": "because"})


def test_what_gpuc_has_is_always_spelled_out() -> None:
    with pytest.raises(AssertionError):
        listing({**VALUE, "upstream": "*"})
