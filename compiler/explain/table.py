"""All rows, in the order in which they are tried."""

from __future__ import annotations

from typing import Final

from compiler.explain.contents import DATA
from compiler.explain.folders import DELIVERY, OTHERS, ROOTS
from compiler.explain.rows import Row
from compiler.explain.workloads import OBJECTS, PODS

ROWS: Final[tuple[Row, ...]] = (*PODS, *DATA, *OBJECTS, *ROOTS, *DELIVERY, *OTHERS)
