"""What the exporter publishes: fields of DCGM, their units, and which cards give them.

An unknown field is fatal for the exporter. A known field that a card cannot give is left out for that card. Sources:
go-dcgm, pkg/dcgm/const_fields.go, where each name stands; dcgm-exporter, internal/pkg/counters for DCGM_EXP_*, which
the exporter itself counts over five minutes; DCGM's field identifiers for the units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ALL = "every card"
DATA_CENTRE_CARDS = "data-centre cards"


@dataclass(frozen=True)
class Field:
    """A field that the exporter publishes under its own name.

    `per_pod` says that the exporter gives it for each pod of a shared card; every other field is the card's, and
    repeated for each of its pods.
    """

    name: str
    type: Literal["gauge", "counter"]
    help: str
    unit: str
    cards: str = ALL
    per_pod: bool = False


BASIC = (
    Field("DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilisation (%)", "%", "every card; not with MIG", per_pod=True),
    Field("DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory bandwidth utilisation (%)", "%", "every card; not with MIG"),
    Field("DCGM_FI_DEV_ENC_UTIL", "gauge", "Encoder utilisation (%)", "%", "cards with an encoder"),
    Field("DCGM_FI_DEV_DEC_UTIL", "gauge", "Decoder utilisation (%)", "%", "cards with a decoder"),
    Field("DCGM_FI_DEV_FB_TOTAL", "gauge", "VRAM of the card (MiB)", "MiB"),
    Field("DCGM_FI_DEV_FB_USED", "gauge", "VRAM in use (MiB)", "MiB", per_pod=True),
    Field("DCGM_FI_DEV_FB_FREE", "gauge", "VRAM free (MiB)", "MiB"),
    Field("DCGM_FI_DEV_FB_RESERVED", "gauge", "VRAM that the driver keeps (MiB)", "MiB"),
    Field("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (C)", "°C"),
    Field("DCGM_FI_DEV_SLOWDOWN_TEMP", "gauge", "Temperature at which the GPU slows down (C)", "°C", "up to Ampere"),
    Field("DCGM_FI_DEV_GPU_TEMP_LIMIT", "gauge", "Degrees left until the GPU slows down (C)", "°C", "from Ada on"),
    Field("DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (C)", "°C", "cards with HBM; not GeForce"),
    Field("DCGM_FI_DEV_FAN_SPEED", "gauge", "Fan speed (%)", "%", "cards with a fan of their own"),
    Field("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (W)", "W"),
    Field("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "gauge", "Power limit in force (W)", "W"),
    Field("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy used since boot (mJ)", "mJ", "from Volta on"),
    Field("DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock (MHz)", "MHz"),
    Field("DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock (MHz)", "MHz"),
    Field("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe retries", "1"),
    Field("DCGM_FI_DEV_XID_ERRORS", "gauge", "Last XID error", "XID"),
    Field("DCGM_EXP_XID_ERRORS_COUNT", "gauge", "XID errors in the last five minutes", "1"),
    Field("DCGM_EXP_CLOCK_EVENTS_COUNT", "gauge", "Samples in five minutes with a reason for lower clocks", "1"),
)
"""Fields for every stack."""

PROFILING = (
    Field("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink bandwidth over all lanes", "1", "cards with NVLink"),
    Field("DCGM_FI_DEV_VGPU_LICENSE_STATUS", "gauge", "vGPU licence status", "1", "vGPU"),
    Field(
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "counter",
        "Rows remapped for uncorrectable errors",
        "1",
        "data-centre cards from Ampere on",
    ),
    Field(
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        "counter",
        "Rows remapped for correctable errors",
        "1",
        "data-centre cards from Ampere on",
    ),
    Field(
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
        "gauge",
        "Whether remapping of rows has failed",
        "0 or 1",
        "data-centre cards from Ampere on",
    ),
    Field(
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "gauge",
        "Ratio of time the graphics engine is active",
        "ratio",
        DATA_CENTRE_CARDS,
    ),
    Field(
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "gauge",
        "Ratio of cycles the tensor pipe is active",
        "ratio",
        DATA_CENTRE_CARDS,
    ),
    Field(
        "DCGM_FI_PROF_DRAM_ACTIVE",
        "gauge",
        "Ratio of cycles the memory interface is active",
        "ratio",
        DATA_CENTRE_CARDS,
    ),
    Field("DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "PCIe bytes sent in a second", "B/s", DATA_CENTRE_CARDS),
    Field("DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "PCIe bytes received in a second", "B/s", DATA_CENTRE_CARDS),
)
"""Fields with `profiling: true`, on pools that are not GeForce; the PROF fields need SYS_ADMIN."""
