"""A page for every code that gpuc prints: rules have theirs in their module, all other codes have a few lines here."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module

from compiler.check import all_rules
from compiler.load.rules import RULES as LOAD_RULES
from compiler.model.describe import suggest

# Codes of what is no rule: code, name, what it means and what to do.
_OTHERS = """\
GPU030 unknown-key: A key that the file does not have. Unknown keys are errors because a setting that is ignored in
silence is the commonest mistake in charts' values. Write the key as suggested; `gpuc schema` lets editors complete
it.

GPU031 missing-key: A key without which nobody knows what is meant. Add it.

GPU032 wrong-type: A value of another type than the field takes. Numbers in quotes are text, `yes` and `on` are text
too in YAML 1.2. Write it as suggested.

GPU033 invalid-value: A value of the right type that the field does not take. Write one that it does.

GPU060 two-files-of-one-name: Two different files would be written to one path below out/. Give the objects or patches
that end there different names.

GPU061 patch-matches-nothing: A patch whose target matches no object. Kustomize leaves such a patch out without a
word, so that the change that it was made for never happens. Name an object that there is; the message lists them.

GPU062 not-a-patch: A patch file that is missing, outside the overlay's folder, or no strategic merge or JSON 6902
patch.

GPU063 schema-not-written: `gpuc schema` could not write a file. Mend what the message names.

GPU064 no-talos-image: `gpuc talos` was asked for an image that no node pool describes. Add `talos` to the pool.

GPU065 no-such-environment: No overlay has the name that a command was given. The message lists them.

GPU066 not-comparable: What two trees hold cannot be compared: a revision or a folder is missing, or a file is no
manifest. The message names it.

GPU071 file-exists: `gpuc init` or `gpuc import` would overwrite a file. Neither ever does: move it away, or name
another folder.

GPU072 no-nodes: No GPU node was named or found to write a first stack for. Name one, or save
`kubectl get nodes -o json`.

GPU073 no-values: `gpuc import` found no values of the three charts, or values that do not tell their chart. Say it
with `--chart`.

GPU901 impossible-path: A compiled file would get a path that cannot be written. Rename what leads to it.

GPU902 file-and-folder: One compiled path would be both a file and a folder, or two paths differ only in upper and
lower case. Rename what leads to them.

GPU903 foreign-file-in-the-way: A file below out/ that gpuc does not own stands where a compiled one belongs. gpuc
never overwrites it: move it away.

GPU904 hand-edit: A compiled file was edited by hand and not committed. Commit it or take it back; `--force`
overwrites it. What the edit was for belongs into the overlay: a setting, or a patch.

GPU905 list-not-trusted: out/.gpuc.json, the list of what gpuc owns, names what it cannot own. Restore it from git.

GPU906 not-a-folder: Something that is no folder stands where out/ or the work folder belongs. Move it away.

GPU907 cannot-write: The operating system refused to write: disk full, no permission, or a read-only file system. out/
is as it was.

GPU908 another-run: Another gpuc is at work in this repository. Wait until it ends, or end it.

GPU909 changed-meanwhile: Another program changed out/ while gpuc replaced it. Run the command again.

GPU910 cluster-unreachable: `gpuc doctor` got no answer from the cluster. Say which with --context or --kubeconfig, or
read saved answers with --from.

GPU911 no-kubectl: `gpuc doctor` found no kubectl on PATH. Install it, or read saved answers with --from.

GPU921 breaks-schema: An object that the API server would refuse: kubeconform compared it with the schema of your
Kubernetes version.

GPU922 no-schema: There is no schema for a kind of object, so it would go unchecked. It is a bug in gpuc.

GPU923 damaged-schema: A schema that gpuc ships is damaged. Install gpuc anew.

GPU924 not-checked: Something would go unchecked: kubeconform passes an empty set. It is a bug in gpuc.

GPU925 unreadable-manifest: kubeconform cannot read a compiled file. It is a bug in gpuc.

GPU931 kustomize-refuses: `kustomize build` refuses a compiled folder. A patch of yours is the usual cause; the
message is kustomize's.

GPU932 reaches-out: A kustomization.yaml names something outside its repository. It is a bug in gpuc.

GPU933 build-differs: kustomize builds something else than was compiled, so that what was checked is not what would be
applied. It is a bug in gpuc: please report it with the inputs.

GPU941 tool-failed: kubeconform or kustomize ended in a way that it never should. Its output is shown.

GPU942 no-staging: The folder beside out/ in which a tree is checked could not be made. Mend the disk.

GPU951 tool-missing: kubeconform or kustomize is not there and cannot be built: `make setup` brings both.

GPU952 tool-not-built: Building kubeconform or kustomize failed. Go's own message is shown.
"""


@dataclass(frozen=True)
class Page:
    """What there is to say about a code. `severity` is empty for what is no rule: it is always an error."""

    code: str
    name: str
    severity: str
    title: str
    body: str
    ignorable: bool = False

    def text(self) -> str:
        """Return the page as it is printed."""
        kind = self.severity or "error, no rule"
        accepted = "; an overlay may accept it under `ignore`" if self.ignorable else ""
        head = f"{self.code} {self.name} ({kind}{accepted})"
        return "\n\n".join(part for part in (head, self.title, self.body) if part) + "\n"


def pages() -> tuple[Page, ...]:
    """Return the page of every code, by code."""
    found = [Page(rule.code, rule.name, "", rule.why, "") for rule in LOAD_RULES]
    for paragraph in _OTHERS.strip().split("\n\n"):
        head, _, about = paragraph.replace("\n", " ").partition(": ")
        code, name = head.split(" ")
        first, stop, rest = about.partition(". ")
        found.append(Page(code, name, "", first + stop.strip(), rest))
    for rule in all_rules():
        module = sys.modules.get(rule_module(rule.name)) or import_module(rule_module(rule.name))
        title, _, body = (module.__doc__ or "").strip().partition("\n\n")
        found.append(Page(rule.code, rule.name, str(rule.severity), title, body, rule.ignorable))
    return tuple(sorted(found, key=lambda page: page.code))


def rule_module(name: str) -> str:
    """Return the module of a rule: it is named after the rule."""
    return f"compiler.check.rules.{name.replace('-', '_')}"


def find_page(wanted: str) -> Page | None:
    """Return the page of a code such as GPU204 (in any case, or as 204), or of a rule's name."""
    word = wanted.strip().lower()
    for page in pages():
        if word in {page.code.lower(), page.code.lower().removeprefix("gpu"), page.name}:
            return page
    return None


def nearest(wanted: str) -> Page | None:
    """Return the page that was most likely meant by a code or name that does not exist."""
    by_word = {word: page for page in pages() for word in (page.code, page.name)}
    meant = suggest(wanted.strip(), list(by_word))
    return by_word[meant] if meant else None
