"""The plugin's configuration: what NVIDIA's parser refuses or silently accepts is refused, and its twin passes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from compiler.check import check_config, rules_on
from compiler.check.pluginconfig import read_config
from compiler.check.rule import ConfigRule
from compiler.diagnostics import Place

MARK = "§"
TIME_SLICING = """\
version: v1
flags:
  migStrategy: none
  failOnInitError: true
  plugin:
    deviceListStrategy: envvar
    deviceIDStrategy: uuid
  gfd:
    sleepInterval: 60s
sharing:
  timeSlicing:
    renameByDefault: false
    failRequestsGreaterThanOne: true
    resources:
      - name: nvidia.com/gpu
        replicas: 5
"""


@dataclass(frozen=True)
class Case:
    """A configuration with § in front of what the finding points to, what is said, and the same after the cure."""

    id: str
    rule: str
    text: str
    says: tuple[str, ...]
    mended: str

    @property
    def content(self) -> str:
        return self.text.replace(MARK, "", 1)

    @property
    def place(self) -> tuple[int, int]:
        before, _, _ = self.text.partition(MARK)
        assert before != self.text
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def edit(id_: str, rule: str, old: str, new: str, *says: str, mended: str | None = None) -> Case:
    """Return the time-slicing configuration with one passage exchanged; its twin is `mended`, or the original."""
    assert TIME_SLICING.count(old) == 1
    twin = TIME_SLICING if mended is None else TIME_SLICING.replace(old, mended)
    return Case(id_, rule, TIME_SLICING.replace(old, new), says, twin)


def share(id_: str, rule: str, item: str, *says: str, mended: str = "{name: nvidia.com/gpu, replicas: 5}") -> Case:
    """Return a configuration that shares one resource, written as flow."""
    head = "version: v1\nsharing: {timeSlicing: {resources: ["
    return Case(id_, rule, f"{head}{item}]}}}}\n", says, f"{head}{mended}]}}}}\n")


SHARING = TIME_SLICING[TIME_SLICING.index("sharing:") :]
RESOURCES = TIME_SLICING[TIME_SLICING.index("    resources:") :]
GPU = "    resources: [{name: nvidia.com/gpu, replicas: 5}]\n"

REFUSED = (
    Case(
        "not-yaml", "GPU301", "version: v1\nflags: §{a: b\n", ("would exit", "not closed"), "version: v1\nflags: {}\n"
    ),
    Case("a-list", "GPU301", "§- version: v1\n", ("not a mapping", "version: v1"), "version: v1\n"),
    edit("version-2", "GPU302", "version: v1", "version: §v2", "v1 alone", "version: v1"),
    edit("version-number", "GPU302", "version: v1", "version: §1", "has version 1"),
    edit("boolean-in-quotes", "GPU304", "Error: true", 'Error: §"true"', "true or false", "without the quotes: true"),
    edit("mig-false", "GPU304", "Strategy: none", "Strategy: §false", "must be text", mended="Strategy: single"),
    edit("list-strategy-number", "GPU304", "envvar", "§3", "text, or a list of it"),
    Case("flags-list", "GPU304", "version: v1\nflags: §[]\n", ("must be a mapping",), "version: v1\nflags:\n"),
    Case("resources-list", "GPU304", "version: v1\nresources: §[{name: a}]\n", ("a mapping",), "version: v1\n"),
    share("devices-text", "GPU304", "{name: gpu, replicas: 5, devices: §some}", '"all"'),
    share("replicas-missing", "GPU305", "§{name: nvidia.com/gpu}", "lacks `replicas`", "would exit"),
    share("replicas-1", "GPU305", "{name: nvidia.com/gpu, replicas: §1}", "not 1", "leave `sharing` out"),
    share("replicas-fraction", "GPU305", "{name: nvidia.com/gpu, replicas: §4.5}", "whole number", "4.5"),
    share("replicas-text", "GPU305", '{name: nvidia.com/gpu, replicas: §"4"}', "unquoted"),
    share("replicas-empty", "GPU305", "{name: nvidia.com/gpu, replicas: §null}", "not empty"),
    Case("time-slicing-null", "GPU306", "sharing:\n  §timeSlicing:\n", ("names no resources",), "sharing:\n  mps:\n"),
    Case(
        "time-slicing-empty", "GPU306", "sharing: {§timeSlicing: {}}\n", ("leave `timeSlicing` out",), "sharing: {}\n"
    ),
    Case(
        "mps-empty", "GPU306", "sharing: {§mps: {}}\n", ("`sharing.mps` names no resources",), "sharing: {mps: null}\n"
    ),
    Case(
        "resources-empty",
        "GPU306",
        "sharing: {timeSlicing: {§resources: []}}\n",
        ("names no resources",),
        "sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}\n",
    ),
    Case(
        "resources-mapping",
        "GPU306",
        "sharing: {timeSlicing: {resources: §{name: gpu, replicas: 2}}}\n",
        ("must be a list",),
        "sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}\n",
    ),
    share("item-text", "GPU306", "§nvidia.com/gpu", "must be a mapping"),
    share("name-missing", "GPU307", "§{replicas: 5}", "lacks `name`"),
    share("name-foreign", "GPU307", "{name: §amd.com/gpu, replicas: 5}", "`amd.com/gpu`, which is not NVIDIA's"),
    share("name-capitals", "GPU307", "{name: §nvidia.com/GPU, replicas: 5}", "no name of a resource"),
    share("name-long", "GPU307", f"{{name: §nvidia.com/{'a' * 60}, replicas: 5}}", "longer than 63"),
    share("name-short", "GPU307", "{name: §'', replicas: 5}", "no name", mended="{name: gpu, replicas: 5}"),
    share(
        "rename-foreign",
        "GPU307",
        "{name: gpu, replicas: 5, rename: §amd.com/x}",
        "`sharing.timeSlicing.resources[0].rename`",
    ),
)
ACCEPTED_IN_SILENCE = (
    edit(
        "typo-sharing",
        "GPU303",
        "  timeSlicing:",
        "  §time-slicing:",
        "nothing is shared",
        "did you mean `timeSlicing`?",
    ),
    edit("typo-top", "GPU303", "sharing:", "§sharring:", "nothing is shared", "did you mean `sharing`?"),
    edit("typo-flag", "GPU303", "migStrategy", "§migStratgy", "`flags.migStratgy`", "did you mean `migStrategy`?"),
    edit(
        "rename-in-flags",
        "GPU303",
        "  migStrategy: none",
        "  migStrategy: none\n  §renameByDefault: true",
        "belongs under `sharing.timeSlicing` or `sharing.mps`",
    ),
    edit(
        "list-strategy-in-flags",
        "GPU303",
        "  migStrategy: none",
        "  §deviceListStrategy: envvar",
        "belongs under `flags.plugin`",
    ),
    edit("replicas-beside-resources", "GPU303", "    renameByDefault: false", "    §replicas: 5", "belongs under"),
    edit("case-in-sharing", "GPU303", "renameByDefault", "§RenameByDefault", "did you mean `renameByDefault`?"),
    edit(
        "case-in-flags",
        "GPU303",
        "migStrategy",
        "§MigStrategy",
        "Go ignores upper and lower case",
        "write `migStrategy`",
    ),
    edit("nonsense", "GPU303", "  migStrategy: none", "  §xyzzy: 1", "known here: deviceDiscoveryStrategy"),
    edit(
        "two-strategies",
        "GPU308",
        "  timeSlicing:",
        f"  mps:\n{GPU}  §timeSlicing:",
        "ignored in silence",
        "`sharing.mps`",
    ),
    Case(
        "mps-with-mixed-mig",
        "GPU308",
        f"flags: {{migStrategy: §mixed}}\nsharing:\n  mps:\n{GPU}",
        ("MIG strategy mixed", "would exit"),
        f"flags: {{migStrategy: single}}\nsharing:\n  mps:\n{GPU}",
    ),
    share(
        "twice",
        "GPU309",
        "{name: gpu, replicas: 2}, {name: §nvidia.com/gpu, replicas: 5}",
        "the larger number",
        mended="{name: gpu, replicas: 2}",
    ),
    share("rename", "GPU310", "{name: gpu, replicas: 5, §rename: fast}", "keeps its name", "renameByDefault"),
    share(
        "devices",
        "GPU310",
        "{name: gpu, replicas: 5, §devices: [0]}",
        "every card",
        mended="{name: gpu, replicas: 5, devices: all}",
    ),
    Case(
        "typed-resources",
        "GPU310",
        'version: v1\nresources: {§gpus: [{pattern: "*RTX 3090*", name: nvidia.com/rtx3090}]}\n',
        ("no resource of that name", "node pools"),
        "version: v1\nresources: {}\n",
    ),
    edit("sleep-60", "GPU311", "60s", "§60", "60 nanoseconds", "write its unit: 60s"),
    edit("sleep-text", "GPU311", "60s", '§"60"', "must be a duration", "60s"),
    edit("sleep-word", "GPU311", "60s", "§often", "must be a duration", mended="infinite"),
    edit("bogus-mig", "GPU312", "Strategy: none", "Strategy: §mixd", "exits on", "did you mean `mixed`?"),
    edit("bogus-id", "GPU312", "uuid", "§uid", "did you mean `uuid`?"),
    edit("bogus-list", "GPU312", "Strategy: envvar", "Strategy: §envvars", "did you mean `envvar`?"),
    edit(
        "comma-list",
        "GPU312",
        "Strategy: envvar",
        "Strategy: §envvar,cdi-cri",
        "write a list: [envvar, cdi-cri]",
        mended="Strategy: [envvar, cdi-cri]",
    ),
    edit(
        "bogus-in-list",
        "GPU312",
        "Strategy: envvar",
        "Strategy: [envvar, §cdi]",
        "there are: envvar",
        mended="Strategy: [envvar, cdi-cri]",
    ),
    Case(
        "bogus-discovery",
        "GPU312",
        "flags: {deviceDiscoveryStrategy: §nmvl}\n",
        ("did you mean `nvml`?",),
        "flags: {deviceDiscoveryStrategy: nvml}\n",
    ),
    Case(
        "two-documents",
        "GPU313",
        f"§version: v1\n---\nversion: v1\n{SHARING}",
        ("2 YAML documents", "drops the rest"),
        f"---\nversion: v1\n{SHARING}",
    ),
)
CASES = REFUSED + ACCEPTED_IN_SILENCE


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_it_is_refused_with_its_place_and_a_cure(case: Case) -> None:
    (found,) = check_config(read_config(case.content, "config.yaml"))
    assert found.rule == case.rule
    assert found.place is not None
    assert (found.place.path, found.place.line, found.place.column) == ("config.yaml", *case.place)
    said = f"{found.message} {found.help}"
    assert [part for part in case.says if part not in said] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_its_twin_passes(case: Case) -> None:
    assert check_config(read_config(case.mended, "config.yaml")) == []


def test_pods_that_ask_for_the_old_name_of_a_renamed_resource_are_named() -> None:
    asked = {"nvidia.com/gpu": Place("pod.yaml", 9, 13)}
    text = TIME_SLICING.replace("renameByDefault: false", "renameByDefault: true")
    (found,) = check_config(read_config(text, "config.yaml", requested=asked))
    assert (found.rule, found.place and found.place.line, found.place and found.place.column) == ("GPU314", 12, 22)
    assert [related.place for related in found.related] == [asked["nvidia.com/gpu"]]
    assert check_config(read_config(TIME_SLICING, "config.yaml", requested=asked)) == []
    renamed = {"nvidia.com/gpu.shared": Place("pod.yaml")}
    assert check_config(read_config(text, "config.yaml", requested=renamed)) == []


def test_unquoted_yaml_1_1_booleans_are_booleans_to_the_plugin() -> None:
    assert check_config(read_config("flags: {failOnInitError: yes}\n", "c")) == []
    assert [found.rule for found in check_config(read_config('flags: {failOnInitError: "yes"}\n', "c"))] == ["GPU304"]
    assert [found.rule for found in check_config(read_config("flags: {mpsRoot: no}\n", "c"))] == ["GPU304"]


def test_an_empty_file_and_a_missing_version_count_as_v1() -> None:
    assert check_config(read_config("sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}\n", "c")) == []
    assert check_config(read_config("version:\n", "c")) == []


def test_every_rule_on_the_configuration_has_a_case() -> None:
    rules = {rule.code for rule in rules_on(ConfigRule)} - {"GPU314"}
    assert rules == {case.rule for case in CASES}
