"""ConfigMaps have the names and contents that Kustomize's generator gives them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compiler.kustomize.generated import config_map, hashed_name, rename_config_maps
from compiler.objects import Obj
from compiler.validate import Toolset
from tests.kustomize.batch import kustomize

NASTY = {
    "plain": "version: v1\n",
    "empty": "",
    "html": "a < b && c > d\n",
    "quotes": "say \"yes\" or 'no'\\n\n",
    "unicode": "Gr\u00fc\u00dfe, \u4e16\u754c, \U0001f600\n",
    "separators": "one\u2028two\u2029three\n",
    "newlines": "\n\n  indented\n\ttab\n\n\n",
    "no-newline": "key: value",
    "trailing-space": "a  \nb \t\n",
    "carriage-return": "one\r\ntwo\r\n",
    "looks-like-yaml": "---\n# comment\n- yes\n- 010\n- 1e3\n- null\n- ~\n",
    "number": "5",
    "boolean": "true",
    "null": "null",
    "escapes": "\\u003c \\n %s $HOME\n",
    "long": "x" * 5000 + "\n",
}


def generated(tools: Toolset, folder: Path, texts: dict[str, str]) -> list[Obj]:
    """Return what kustomize generates for each text, in the order of the texts."""
    generators = [{"name": f"c-{name}", "namespace": "gpu", "files": [f"{name}.txt"]} for name in texts]
    files: dict[str, bytes] = {f"{name}.txt": text.encode() for name, text in texts.items()}
    found = {
        obj["metadata"]["name"].rpartition("-")[0]: obj
        for obj in kustomize(tools, folder, {"configMapGenerator": generators}, files)
    }
    return [found[f"c-{name}"] for name in texts]


def expected(texts: dict[str, str]) -> list[Obj]:
    return [config_map(f"c-{name}", "gpu", {f"{name}.txt": text}) for name, text in texts.items()]


def test_names_and_contents_are_kustomize_s(tools: Toolset, tmp_path: Path) -> None:
    assert generated(tools, tmp_path, NASTY) == expected(NASTY)


# Kustomize itself refuses control characters, U+FFFE, U+FFFF and a tab at the very beginning; `${` is annotated.
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="$\ufffe\uffff", include_characters="\n"),
    max_size=200,
)


# Shrinking would start kustomize hundreds of times.
@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(texts=st.lists(TEXT, min_size=30, max_size=30))
def test_names_and_contents_are_kustomize_s_for_any_text(tools: Toolset, tmp_path: Path, texts: list[str]) -> None:
    named = {f"t{index}": text for index, text in enumerate(texts)}
    assert generated(tools, tmp_path, named) == expected(named)


def test_several_files_and_labels_are_kustomize_s_too(tools: Toolset, tmp_path: Path) -> None:
    data = {"b.yaml": "b: 1\n", "a.csv": "x, y\n"}
    content = {
        "labels": [{"pairs": {"app.kubernetes.io/instance": "a"}, "includeSelectors": True}],
        "configMapGenerator": [{"name": "c", "namespace": "gpu", "files": ["b.yaml", "a.csv"]}],
    }
    files = {name: text.encode() for name, text in data.items()}
    assert kustomize(tools, tmp_path, content, files) == [
        config_map("c", "gpu", data, {"app.kubernetes.io/instance": "a"})
    ]


def test_a_name_depends_on_the_content_alone() -> None:
    assert hashed_name("c", {"a": "1", "b": "2"}) == hashed_name("c", {"b": "2", "a": "1"})


@given(one=st.dictionaries(st.text(), st.text(), max_size=3), other=st.dictionaries(st.text(), st.text(), max_size=3))
def test_other_content_gives_another_name(one: dict[str, str], other: dict[str, str]) -> None:
    assert (hashed_name("c", one) == hashed_name("c", other)) == (one == other)


RENAMED = {"old": "new"}


@pytest.mark.parametrize(
    ("spec", "after"),
    [
        ({"volumes": [{"configMap": {"name": "old"}}]}, {"volumes": [{"configMap": {"name": "new"}}]}),
        (
            {"valueFrom": {"configMapKeyRef": {"name": "old", "key": "old"}}},
            {"valueFrom": {"configMapKeyRef": {"name": "new", "key": "old"}}},
        ),
        ({"envFrom": [{"configMapRef": {"name": "old"}}]}, {"envFrom": [{"configMapRef": {"name": "new"}}]}),
        ({"volumes": [{"configMap": {"name": "another"}}]}, {"volumes": [{"configMap": {"name": "another"}}]}),
        (
            {"volumes": [{"name": "old", "secret": {"name": "old"}}]},
            {"volumes": [{"name": "old", "secret": {"name": "old"}}]},
        ),
    ],
    ids=["volume", "variable", "all variables", "another's", "no ConfigMap"],
)
def test_references_to_config_maps_are_renamed_and_nothing_else(spec: Obj, after: Obj) -> None:
    assert rename_config_maps({"spec": spec}, RENAMED) == {"spec": after}
