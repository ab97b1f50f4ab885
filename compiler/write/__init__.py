"""The last stage: replaces the git-tracked `out/` in one step, and loses nobody's work.

`plan` compares, `differences` explains, `apply` writes. `lock` keeps two runs apart, `recover` mends what a killed run
left. Every path in their arguments and results is relative to `out/` unless it says otherwise.
"""

from __future__ import annotations

from compiler.write.comparison import Plan, plan
from compiler.write.differences import Difference, differences
from compiler.write.replace import apply
from compiler.write.work import lock, recover

__all__ = ["Difference", "Plan", "apply", "differences", "lock", "plan", "recover"]
