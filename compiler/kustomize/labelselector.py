"""Label selectors in the string form that Kustomize's patch targets take."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TERM = re.compile(
    r"\s*(?:(?P<absent>!)\s*(?P<missing>[\w./-]+)|(?P<key>[\w./-]+)\s*(?:(?P<op>==|!=|=)\s*(?P<value>[\w.-]*)|"
    r"(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|$)"
)


def matches_labels(selector: str, labels: Mapping[str, str]) -> bool:
    """Return whether labels satisfy a selector such as `app=x,tier in (a, b),!legacy`; a malformed one matches nothing.

    Source: k8s.io/apimachinery/pkg/labels, Parse.
    """
    position = 0
    while position < len(selector):
        term = _TERM.match(selector, position)
        if not term or term.end() == position or not _satisfied(term, labels):
            return False
        position = term.end()
    return True


def _satisfied(term: re.Match[str], labels: Mapping[str, str]) -> bool:
    if term["absent"]:
        return term["missing"] not in labels
    key = term["key"]
    if term["set"]:
        values = {value.strip() for value in term["values"].split(",")}
        return (labels.get(key) in values) == (term["set"] == "in")
    if term["op"]:
        return (labels.get(key) == term["value"]) == (term["op"] != "!=")
    return key in labels
