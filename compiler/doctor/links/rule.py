"""The NodeFeatureRule that makes the label is there, as compiled."""

from __future__ import annotations

from compiler.components.node_feature_rule import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import dig


class _Rule(Link):
    id = "rule"
    title = "NodeFeatureRule"
    needs = (kinds.NODE_FEATURE_RULE,)
    after = ("delivered",)

    def applies(self, case: Case) -> bool:
        """Whether the stack makes labels of its own."""
        return case.expected.find("NodeFeatureRule", NAME) is not None

    def check(self, case: Case) -> Verdict:
        """Compare the rules with the compiled ones."""
        wanted = case.expected.find("NodeFeatureRule", NAME) or {}
        found = case.seen.get(kinds.NODE_FEATURE_RULE, NAME)
        if found is None:
            what = f"there is no NodeFeatureRule {NAME}"
            cause = (
                "nothing else makes nvidia.com/gpu.present: every GPU pod stays away; it was deleted or never applied"
            )
            return Verdict(findings=(Finding(what, cause, (case.reapply(),)),))
        if dig(found, "spec", "rules") != wanted["spec"]["rules"]:
            what = f"NodeFeatureRule {NAME} differs from the compiled one"
            cause = "it was edited by hand, or an older commit is applied"
            show = case.kubectl("get", "nodefeaturerule", NAME, "-o", "yaml")
            return Verdict(findings=(Finding(what, cause, (show, case.reapply())),))
        return Verdict((NAME,))


LINK = _Rule()
