"""The counters file of the DCGM exporter.

Exactly three comma-separated fields a line: a comma in the help text breaks the line, and an unknown field is fatal.
"""

from __future__ import annotations

from collections.abc import Iterable

from compiler.model.components import Counter

FILE = "counters.csv"

BASIC = (
    ("DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilisation (%)"),
    ("DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory bandwidth utilisation (%)"),
    ("DCGM_FI_DEV_ENC_UTIL", "gauge", "Encoder utilisation (%)"),
    ("DCGM_FI_DEV_DEC_UTIL", "gauge", "Decoder utilisation (%)"),
    ("DCGM_FI_DEV_FB_USED", "gauge", "VRAM in use (MiB)"),
    ("DCGM_FI_DEV_FB_FREE", "gauge", "VRAM free (MiB)"),
    ("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (C)"),
    ("DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (C)"),
    ("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (W)"),
    ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy used since boot (mJ)"),
    ("DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock (MHz)"),
    ("DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock (MHz)"),
    ("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe retries"),
    ("DCGM_FI_DEV_XID_ERRORS", "gauge", "Last XID error"),
)
"""Fields that every card gives, or leaves out quietly."""

DATA_CENTRE = (
    ("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink bandwidth over all lanes"),
    ("DCGM_FI_DEV_VGPU_LICENSE_STATUS", "gauge", "vGPU licence status"),
    ("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for uncorrectable errors"),
    ("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Rows remapped for correctable errors"),
    ("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed"),
    ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Ratio of time the graphics engine is active"),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Ratio of cycles the tensor pipe is active"),
    ("DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Ratio of cycles the memory interface is active"),
    ("DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "PCIe bytes sent in a second"),
    ("DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "PCIe bytes received in a second"),
)
"""Fields of data-centre cards; the PROF fields need SYS_ADMIN."""


def csv(extra: Iterable[Counter], *, profiling: bool) -> str:
    """Return the counters file; a counter of the user's replaces gpuc's of the same field."""
    rows = {row[0]: row for row in (*BASIC, *(DATA_CENTRE if profiling else ()))}
    rows |= {counter.field: (counter.field, counter.type, counter.help) for counter in extra}
    return "".join(f"{', '.join(row)}\n" for row in rows.values())
