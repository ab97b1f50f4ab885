"""What a product name says of a card."""

from __future__ import annotations

import pytest

from compiler.model.cards import Generation, card

NAMES = {
    "NVIDIA GeForce RTX 5070 Ti": Generation.BLACKWELL,
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": Generation.BLACKWELL,
    "NVIDIA B200": Generation.BLACKWELL,
    "NVIDIA GB200": Generation.BLACKWELL,
    "NVIDIA H100 80GB HBM3": Generation.HOPPER,
    "NVIDIA GH200 480GB": Generation.HOPPER,
    "NVIDIA L40S": Generation.ADA,
    "NVIDIA L4": Generation.ADA,
    "NVIDIA GeForce RTX 4090": Generation.ADA,
    "NVIDIA RTX 6000 Ada Generation": Generation.ADA,
    "NVIDIA A100-SXM4-80GB": Generation.AMPERE,
    "NVIDIA A10G": Generation.AMPERE,
    "NVIDIA RTX A6000": Generation.AMPERE,
    "NVIDIA-GeForce-RTX-3090-SHARED": Generation.AMPERE,
    "Tesla T4": Generation.TURING,
    "Quadro RTX 4000": Generation.TURING,
    "NVIDIA GeForce GTX 1660 SUPER": Generation.TURING,
    "NVIDIA T400 4GB": Generation.TURING,
    "Tesla V100-SXM2-16GB": Generation.VOLTA,
    "NVIDIA TITAN V": Generation.VOLTA,
    "Tesla P40": Generation.PASCAL,
    "Quadro P2000": Generation.PASCAL,
    "NVIDIA GeForce GTX 1080 Ti": Generation.PASCAL,
    "NVIDIA GeForce GT 1030": Generation.PASCAL,
    "NVIDIA TITAN Xp": Generation.PASCAL,
    "Tesla M60": Generation.MAXWELL,
    "NVIDIA GeForce GTX TITAN X": Generation.MAXWELL,
    "NVIDIA GeForce GTX 970": Generation.MAXWELL,
    "Tesla K80": Generation.KEPLER,
}


@pytest.mark.parametrize(("name", "generation"), NAMES.items(), ids=NAMES)
def test_a_product_name_tells_the_generation(name: str, generation: Generation) -> None:
    found = card(name)
    assert found is not None
    assert found.generation is generation


@pytest.mark.parametrize("name", [None, "", "a card", "AMD Instinct MI300X", "NVIDIA"])
def test_a_name_that_says_nothing_gives_nothing(name: str | None) -> None:
    assert card(name) is None


def test_only_geforce_cards_are_geforce() -> None:
    assert [found.geforce for name in NAMES if (found := card(name))] == ["GeForce" in name for name in NAMES]


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("NVIDIA A30", "4g.24gb"),
        ("NVIDIA A100-PCIE-40GB", "1g.5gb"),
        ("NVIDIA A100-SXM4-80GB", "1g.10gb"),
        ("NVIDIA H100 NVL", "3g.47gb"),
        ("NVIDIA H200", "1g.18gb"),
    ],
)
def test_cards_with_mig_have_their_own_instances(name: str, profile: str) -> None:
    found = card(name)
    assert found is not None
    assert found.mig is not None
    assert profile in found.mig


def test_geforce_cards_have_no_mig() -> None:
    found = card("NVIDIA GeForce RTX 5070 Ti")
    assert found is not None
    assert found.mig is None
