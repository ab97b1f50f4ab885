"""What counts as a change of an object, and what does not."""

from __future__ import annotations

import pytest

from tests.e2e import live
from tests.e2e.api import Obj
from tests.e2e.live import changed, snapshot

OBJ: Obj = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {
        "name": "plugin",
        "generation": 1,
        "resourceVersion": "10",
        "managedFields": [{"manager": "flux", "time": "1"}],
    },
    "spec": {"a": 1},
    "status": {"ready": 0},
}


def seen(monkeypatch: pytest.MonkeyPatch, obj: Obj | None) -> dict[str, Obj]:
    monkeypatch.setattr(live, "read", lambda _api, _obj: obj)
    return snapshot(object(), [OBJ])  # type: ignore[arg-type]


def with_meta(**meta: object) -> Obj:
    return {**OBJ, "metadata": {**OBJ["metadata"], **meta}}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(OBJ, [], id="nothing"),
        pytest.param({**OBJ, "status": {"ready": 1}}, [], id="status"),
        pytest.param(with_meta(resourceVersion="11"), [], id="version that a status raises"),
        pytest.param(
            with_meta(managedFields=[*OBJ["metadata"]["managedFields"], {"manager": "m", "subresource": "status"}]),
            [],
            id="owner of the status",
        ),
        pytest.param({**OBJ, "spec": {"a": 2}}, ["DaemonSet plugin"], id="spec"),
        pytest.param(with_meta(generation=2), ["DaemonSet plugin"], id="generation"),
        pytest.param(with_meta(labels={"a": "b"}), ["DaemonSet plugin"], id="label"),
        pytest.param(
            with_meta(managedFields=[{"manager": "flux", "time": "2"}]),
            ["DaemonSet plugin"],
            id="applied with a change",
        ),
        pytest.param(None, ["DaemonSet plugin"], id="gone"),
    ],
)
def test_a_change(monkeypatch: pytest.MonkeyPatch, after: Obj | None, expected: list[str]) -> None:
    before = seen(monkeypatch, OBJ)
    assert changed(before, seen(monkeypatch, after)) == expected
