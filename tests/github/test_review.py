"""The script and the workflow for GitHub, with stand-ins for `gpuc` and `gh` that write down how they were called."""

from __future__ import annotations

import base64
import gzip
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from compiler.diff import MARKER

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "github" / "review"
WORKFLOW = ROOT / ".github" / "workflows" / "gpuc.yml"
TOKEN = "ghs_abcdef"  # noqa: S105 -- made up

GPUC = """\
#!/bin/sh
echo "gpuc $*" >>"$CALLS"
case "$*" in
"check --format sarif") echo '{"runs": []}'; exit "$CHECK" ;;
check) exit "$CHECK" ;;
diff*) [ "$DIFF" = 0 ] && printf '<!-- gpuc diff -->\\nsaid by diff\\n'; exit "$DIFF" ;;
esac
"""
GH = """\
#!/bin/sh
echo "gh $*" >>"$CALLS"
for argument in "$@"; do
  case "$argument" in
  body=@*) cp "${argument#body=@}" "$FOLDER/body" ;;
  sarif=@*) cp "${argument#sarif=@}" "$FOLDER/sarif" ;;
  esac
done
case "$*" in
*--paginate*) printf '%s' "$COMMENTS"; exit "$LIST_CODE" ;;
*) exit "$GH_CODE" ;;
esac
"""


@dataclass(frozen=True)
class Ran:
    code: int
    output: str
    calls: list[str]
    folder: Path

    @property
    def body(self) -> str:
        return (self.folder / "body").read_text(encoding="utf-8")


def review(folder: Path, **settings: str) -> Ran:
    """Run the script as for a pull request of the same repository, with settings changed."""
    for name, text in (("gpuc", GPUC), ("gh", GH)):
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    calls = folder / "calls"
    env = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "GPUC": str(folder / "gpuc"),
        "CALLS": str(calls),
        "FOLDER": str(folder),
        "GH_TOKEN": TOKEN,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_SHA": "c0ffee",
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "PULL": "7",
        "BASE": "ba5e",
        "WRITES": "true",
        "CHECK": "0",
        "DIFF": "0",
        "COMMENTS": "",
        "GH_CODE": "0",
        "LIST_CODE": "0",
    }
    done = subprocess.run(
        ["bash", SCRIPT], env=env | settings, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    return Ran(done.returncode, done.stdout + done.stderr, calls.read_text(encoding="utf-8").splitlines(), folder)


def writes(ran: Ran) -> list[str]:
    """Return the calls of `gh` that change something, as method and path."""
    found = (re.search(r"--method (\S+) (\S+)", call) for call in ran.calls)
    return [f"{match[1]} {match[2]}" for match in found if match]


def test_a_first_comment_is_made(tmp_path: Path) -> None:
    ran = review(tmp_path)
    assert ran.code == 0
    assert writes(ran) == ["POST repos/o/r/issues/7/comments", "POST repos/o/r/code-scanning/sarifs"]
    assert ran.body == f"{MARKER}\nsaid by diff\n"
    assert "gpuc diff ba5e --format markdown" in ran.calls


def test_an_earlier_comment_is_updated(tmp_path: Path) -> None:
    assert writes(review(tmp_path, COMMENTS="11\n12\n"))[0] == "PATCH repos/o/r/issues/comments/11"


def test_no_second_comment_is_made_where_the_first_could_not_be_looked_for(tmp_path: Path) -> None:
    assert writes(review(tmp_path, LIST_CODE="1")) == ["POST repos/o/r/code-scanning/sarifs"]


def test_only_a_bots_comment_with_the_marker_in_front_is_taken(tmp_path: Path) -> None:
    (listing,) = [call for call in review(tmp_path).calls if "--paginate" in call]
    assert f'select(.user.type == "Bot" and (.body | startswith("{MARKER}")))' in listing


def test_findings_are_uploaded_as_the_interface_wants_them(tmp_path: Path) -> None:
    ran = review(tmp_path)
    (upload,) = [call for call in ran.calls if "sarifs" in call]
    assert "-f commit_sha=c0ffee -f ref=refs/pull/7/merge" in upload
    assert gzip.decompress(base64.b64decode((tmp_path / "sarif").read_bytes())) == b'{"runs": []}\n'


@pytest.mark.parametrize("code", ["1", "4", "5"])
def test_the_run_ends_as_check_did_but_tells_first(code: str, tmp_path: Path) -> None:
    ran = review(tmp_path, CHECK=code)
    assert ran.code == int(code)
    assert ran.body.endswith(f"`gpuc check` ended with {code}: the log of this run says why.\n")
    assert len(writes(ran)) == 2


def test_a_comparison_that_fails_is_said(tmp_path: Path) -> None:
    ran = review(tmp_path, DIFF="1")
    assert ran.code == 0
    assert ran.body.startswith(f"{MARKER}\n### GPU stack\n\n`gpuc diff` failed")


def test_a_fork_gets_a_summary_and_no_comment(tmp_path: Path) -> None:
    ran = review(tmp_path, WRITES="false")
    assert (ran.code, writes(ran)) == (0, [])
    assert (tmp_path / "summary").read_text(encoding="utf-8") == f"{MARKER}\nsaid by diff\n"


def test_a_push_has_no_comment(tmp_path: Path) -> None:
    assert writes(review(tmp_path, PULL="", BASE="")) == ["POST repos/o/r/code-scanning/sarifs"]


def test_github_failing_fails_nothing_else(tmp_path: Path) -> None:
    ran = review(tmp_path, GH_CODE="1")
    assert ran.code == 0
    assert ran.output.count("::warning::") == 2


def test_the_token_is_never_printed(tmp_path: Path) -> None:
    ran = review(tmp_path, CHECK="1", DIFF="1", GH_CODE="1")
    assert TOKEN not in ran.output + "".join(ran.calls)


def test_the_workflow_uses_no_action_and_asks_for_little() -> None:
    content = YAML(typ="safe").load(WORKFLOW.read_text(encoding="utf-8"))
    (job,) = content["jobs"].values()
    assert content["permissions"] == {}
    assert job["permissions"] == {"contents": "read", "pull-requests": "write", "security-events": "write"}
    assert [step for step in job["steps"] if "uses" in step] == []
    # What others can choose, such as a branch's name, never becomes part of a script.
    assert [step["run"] for step in job["steps"] if "${{" in step["run"]] == []


@pytest.mark.parametrize("step", ["Check out", "Install gpuc", "Check, compare and tell"])
def test_the_workflows_scripts_are_good_bash(step: str) -> None:
    content = YAML(typ="safe").load(WORKFLOW.read_text(encoding="utf-8"))
    (script,) = [item["run"] for item in content["jobs"]["gpuc"]["steps"] if item["name"] == step]
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_the_script_pleases_shellcheck() -> None:
    assert subprocess.run(["shellcheck", SCRIPT], capture_output=True, check=False).stdout == b""


def test_the_hooks_for_pre_commit_are_commands_that_there_are() -> None:
    hooks = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["id"]: hook["entry"] for hook in hooks} == {
        "gpuc-check": "gpuc check",
        "gpuc-compile": "gpuc compile",
    }
    assert {(hook["language"], hook["pass_filenames"]) for hook in hooks} == {("python", False)}
