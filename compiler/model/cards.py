"""What a card is, by the product name that nvidia-smi prints: its generation, and how MIG can split it.

Names alone say it: NVIDIA's product lines and their architectures. A name that says nothing gives None; rules then keep
silent. Sources: NVIDIA's lists of supported GPUs in the drivers' README (580 and 595), CUDA's table
of compute capabilities, and the MIG user guide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Generation(IntEnum):
    """Architectures of GPUs, oldest first."""

    KEPLER = 3
    MAXWELL = 5
    PASCAL = 6
    VOLTA = 7
    TURING = 8
    AMPERE = 9
    ADA = 10
    HOPPER = 11
    BLACKWELL = 12

    @property
    def label(self) -> str:
        """The architecture's name."""
        return self.name.capitalize()

    @property
    def open_modules(self) -> bool:
        """Whether the open kernel modules drive it: they need the GSP processor, which cards have from Turing on."""
        return self >= Generation.TURING

    @property
    def needs_open_modules(self) -> bool:
        """Whether the proprietary kernel modules do not drive it."""
        return self >= Generation.BLACKWELL

    @property
    def in_current_drivers(self) -> bool:
        """Whether driver branches after 580 still know it: Maxwell, Pascal and Volta ended there, Kepler at 470."""
        return self >= Generation.TURING


@dataclass(frozen=True)
class Card:
    """What a product name says of a card.

    `mig` lists the instances that it can be split into: None where it cannot, empty where gpuc keeps no list of them.
    """

    generation: Generation
    geforce: bool
    mig: frozenset[str] | None = None


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MIG: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    (r"A30\b", _names("1g.6gb 1g.6gb.me 2g.12gb 2g.12gb.me 4g.24gb")),
    (
        r"A100.*80 ?GB|A800.*80 ?GB",
        _names("1g.10gb 1g.10gb.me 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"),
    ),
    (
        r"A100|A800",
        _names("1g.5gb 1g.5gb.me 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb"),
    ),
    (
        r"H100.*96 ?GB",
        _names("1g.12gb 1g.12gb.me 1g.24gb 2g.24gb 3g.48gb 4g.48gb 7g.96gb"),
    ),
    (
        r"H100.*94 ?GB|H100 NVL",
        _names("1g.12gb 1g.12gb.me 1g.24gb 2g.24gb 3g.47gb 4g.47gb 7g.94gb"),
    ),
    (
        r"H100|H800",
        _names("1g.10gb 1g.10gb.me 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"),
    ),
    (
        r"H200",
        _names("1g.18gb 1g.18gb.me 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb"),
    ),
)
# Cards with MIG of which no list of instances is kept here.
_MIG_UNLISTED: Final = re.compile(r"\b(H20|GH200|GB200|GB300|B100|B200|B300|RTX PRO [56]000.*Blackwell|RTX 6000D)\b")

# The first pattern that is found in a product name decides; longer names come before what they contain.
_GENERATIONS: Final[tuple[tuple[str, Generation], ...]] = tuple(
    (rf"\b({pattern})\b", generation)
    for pattern, generation in (
        (r"GB\d{3}|B[123]00|RTX PRO \d{3,4}|RTX 50[5-9]0", Generation.BLACKWELL),
        (r"G?H(100|200|800|20)", Generation.HOPPER),
        (r"L(2|4|20|40[SG]?)|RTX [2-6]\d{3} (SFF )?Ada|RTX 40[5-9]0", Generation.ADA),
        (r"A(2|10[GM]?|16|30X?|40|100X?|800)|RTX 30[5-9]0|RTX A\d{3,4}", Generation.AMPERE),
        (
            r"T4G?|Quadro RTX [3-8]000|RTX 20[5-9]0|GTX 16[5-9]0|TITAN RTX|T(400|600|1000|1200)",
            Generation.TURING,
        ),
        (r"V100S?|GV100|TITAN V", Generation.VOLTA),
        (r"M(4|6|10|40|60)|GTX 9[5-8]0|GTX 7[45]0|GTX TITAN X|M[2456]000", Generation.MAXWELL),
        (r"G?P(4|6|40|100|400|[1-6]00|[1-6]000)|GTX 10[1-8]0|GT 10[1-3]0|TITAN Xp?", Generation.PASCAL),
        (r"K(8|10|20|40|80|520)m?|GTX 6[4-9]0|GTX 7[678]0", Generation.KEPLER),
    )
)


def card(product: str | None) -> Card | None:
    """Return what a product name such as `NVIDIA GeForce RTX 5070 Ti` says, or None where it says nothing.

    A suffix that GPU Feature Discovery adds, such as `-SHARED`, and dashes instead of spaces do no harm.
    """
    if product is None:
        return None
    name = re.sub(r"[-_]", " ", product)
    for pattern, generation in _GENERATIONS:
        if re.search(pattern, name, re.IGNORECASE):
            return Card(generation, "geforce" in name.lower(), _mig(name))
    return None


def _mig(name: str) -> frozenset[str] | None:
    for pattern, profiles in _MIG:
        if re.search(rf"\b({pattern})", name, re.IGNORECASE):
            return profiles
    return frozenset() if _MIG_UNLISTED.search(name) else None
