"""Schematics and their IDs, against what the image factory itself gave out."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.model.stack import GenericPlatform, TalosPlatform
from compiler.talos import pool_image
from compiler.talos.schematic import schematic, schematic_id
from tests.talos.pools import BASE, pool

TALOS = TalosPlatform.model_validate({"os": "talos", "version": "v1.13.3"})
GPU_ID = "901b9afcf2f7eda57991690fc5ca00414740cc4ee4ad516109bcc58beff1b829"
BASE_ID = "88d1f7a5c4f1d3aba7df787c448c1d3d008ed29cfb34af53fa0df4336a56040b"
EMPTY_ID = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"
GPU = [
    "siderolabs/iscsi-tools",
    "siderolabs/nvidia-container-toolkit-production",
    "siderolabs/nvidia-open-gpu-kernel-modules-production",
    "siderolabs/qemu-guest-agent",
    "siderolabs/util-linux-tools",
]


@pytest.mark.parametrize(
    ("extensions", "arguments", "expected"),
    [
        pytest.param([], [], EMPTY_ID, id="empty"),
        pytest.param(
            [],
            ["noapic", "nolapic"],
            "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c",
            id="kernel-arguments",
        ),
        pytest.param(
            ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"],
            [],
            "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245",
            id="two-extensions",
        ),
        pytest.param(BASE, [], BASE_ID, id="worker4-without-driver"),
        pytest.param(GPU, [], GPU_ID, id="worker4"),
    ],
)
def test_the_id_is_the_image_factorys(extensions: list[str], arguments: list[str], expected: str) -> None:
    assert schematic_id(schematic(extensions, arguments)) == expected


def test_order_is_part_of_the_id() -> None:
    assert schematic_id(schematic(BASE)) != schematic_id(schematic(BASE[::-1]))


def test_kernel_arguments_come_before_extensions() -> None:
    assert schematic(["siderolabs/a"], ["b=c"]) == (
        "customization:\n"
        "    extraKernelArgs:\n"
        "        - b=c\n"
        "    systemExtensions:\n"
        "        officialExtensions:\n"
        "            - siderolabs/a\n"
    )


def test_both_of_worker4s_images_come_out_of_the_model() -> None:
    image = pool_image(pool(talos={"extensions": BASE, "imagePlatform": "nocloud"}), TALOS)
    assert image is not None
    assert (image.id, image.base_id) == (GPU_ID, BASE_ID)
    assert image.installer == f"factory.talos.dev/nocloud-installer/{GPU_ID}:v1.13.3"


def test_extensions_in_another_order_or_named_twice_give_the_same_image() -> None:
    driver = "siderolabs/nvidia-container-toolkit-production"
    image = pool_image(pool(talos={"extensions": [*BASE[::-1], driver, BASE[0]]}), TALOS)
    assert image is not None
    assert (image.id, image.base_id) == (GPU_ID, BASE_ID)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "metal-installer"),
        ({"imagePlatform": "nocloud"}, "nocloud-installer"),
        ({"imagePlatform": "aws", "secureBoot": True}, "aws-installer-secureboot"),
    ],
    ids=["metal", "nocloud", "secure-boot"],
)
def test_installer(settings: dict[str, Any], expected: str) -> None:
    image = pool_image(pool(talos=settings), TALOS)
    assert image is not None
    assert image.installer == f"factory.talos.dev/{expected}/{image.id}:v1.13.3"


@pytest.mark.parametrize(
    ("driver", "modules", "expected"),
    [
        ("production", "open", ["nvidia-container-toolkit-production", "nvidia-open-gpu-kernel-modules-production"]),
        ("lts", "open", ["nvidia-container-toolkit-lts", "nvidia-open-gpu-kernel-modules-lts"]),
        ("lts", "proprietary", ["nonfree-kmod-nvidia-lts", "nvidia-container-toolkit-lts"]),
        ("production", "proprietary", ["nonfree-kmod-nvidia-production", "nvidia-container-toolkit-production"]),
    ],
)
def test_driver_and_toolkit_are_of_one_flavour(driver: str, modules: str, expected: list[str]) -> None:
    image = pool_image(pool(talos={"driver": driver, "modules": modules}), TALOS)
    assert image is not None
    listed = [line.strip("- ").removeprefix("siderolabs/") for line in image.text.splitlines() if "siderolabs/" in line]
    assert listed == expected
    assert image.base_id == EMPTY_ID


def test_the_pools_own_release_wins() -> None:
    image = pool_image(pool(platform={"os": "talos", "version": "v1.12.5"}), TALOS)
    assert image is not None
    assert image.installer.endswith(":v1.12.5")


@pytest.mark.parametrize(
    ("settings", "platform"),
    [
        ({"talos": None}, TALOS),
        ({}, GenericPlatform.model_validate({"os": "generic"})),
        ({"platform": {"os": "generic"}}, TALOS),
    ],
    ids=["no-talos-block", "generic-stack", "generic-pool"],
)
def test_no_image_where_nothing_says_which(settings: dict[str, Any], platform: TalosPlatform | GenericPlatform) -> None:
    assert pool_image(pool(**settings), platform) is None
