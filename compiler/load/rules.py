"""The rules of the first stage: every way in which a file cannot be an input.

Codes are stable: scripts and suppressions name them. A code is never used again for something else.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Rule(NamedTuple):
    """A finding's identity: its stable code, the name people use for it, and why the rule exists."""

    code: str
    name: str
    why: str


NOT_A_FILE: Final = Rule("GPU001", "not-a-file", "An input is an ordinary file; a folder, pipe or device is not.")
OUTSIDE_ROOT: Final = Rule(
    "GPU002", "outside-root", "A symbolic link that leaves the repository brings in what nobody reviewed with it."
)
UNREADABLE: Final = Rule("GPU003", "unreadable", "The operating system refuses to hand over the file.")
TOO_LARGE: Final = Rule("GPU004", "too-large", "Inputs are written by people; reading a huge one costs minutes.")
NOT_UTF8: Final = Rule(
    "GPU005", "not-utf8", "YAML for Kubernetes is UTF-8; anything else is read differently by others."
)
UNSAFE_CHARACTER: Final = Rule(
    "GPU006", "unsafe-character", "Characters that cannot be seen hide from review what the file really says."
)
TAB: Final = Rule("GPU007", "tab-indentation", "YAML allows only spaces for indentation.")
SYNTAX: Final = Rule("GPU008", "yaml-syntax", "The file is not YAML.")
TOO_DEEP: Final = Rule("GPU009", "too-deep", "No input nests deeply; a file that does is built to exhaust its reader.")
ANCHOR: Final = Rule("GPU010", "anchor", "Aliases let a few lines mean gigabytes, and a reviewer read the wrong line.")
TAG: Final = Rule("GPU011", "explicit-tag", "A tag makes a value something else than it looks like.")
MERGE_KEY: Final = Rule("GPU012", "merge-key", "YAML 1.2 has no merge keys: readers disagree on what `<<` means.")
SEVERAL_DOCUMENTS: Final = Rule(
    "GPU013", "several-documents", "Most readers take the first document and drop the rest."
)
DIRECTIVE: Final = Rule("GPU014", "yaml-directive", "A directive changes how the whole file is read.")
EMPTY: Final = Rule("GPU015", "empty-file", "A file that says nothing is more likely lost than meant.")
NOT_A_MAPPING: Final = Rule("GPU016", "not-a-mapping", "An input is a mapping with apiVersion and kind.")
KEY_NOT_A_STRING: Final = Rule("GPU017", "key-not-a-string", "Keys of Kubernetes objects are strings.")
DUPLICATE_KEY: Final = Rule("GPU018", "duplicate-key", "One of the two values would silently win.")
NUMBER_OUT_OF_RANGE: Final = Rule(
    "GPU019", "number-out-of-range", "Kubernetes numbers are finite and fit into 64 bits."
)
AMBIGUOUS_NUMBER: Final = Rule(
    "GPU020", "ambiguous-number", "010 is ten in YAML 1.2 and eight in YAML 1.1, which Kubernetes reads."
)
TOO_MANY: Final = Rule("GPU021", "too-many-findings", "After so many mistakes the rest is noise.")
MERGE_CONFLICT: Final = Rule("GPU022", "merge-conflict", "The file holds both sides of a merge that nobody resolved.")
NOTHING_TO_COMPILE: Final = Rule("GPU023", "nothing-to-compile", "gpuc compiles a stack for at least one overlay.")
MISSING_STACK: Final = Rule("GPU024", "missing-stack", "Every overlay builds on the one stack.")
MISSING_OVERLAY: Final = Rule(
    "GPU025", "missing-overlay", "An overlay that lost its file would be removed from out/, and from the cluster."
)
OVERLAY_NAME: Final = Rule("GPU026", "overlay-name", "The folder's name becomes part of paths and of objects' names.")

RULES: Final[tuple[Rule, ...]] = tuple(value for value in list(vars().values()) if isinstance(value, Rule))
