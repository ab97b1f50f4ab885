"""Four nodes whose exporters and numbers are known, and the load steps that each trip alerts.

Every exporter speaks as dcgm-exporter does, in the shapes that there are (internal/pkg/transformation, rendermetrics):

- k8s-worker4: five pods share a card. GPU_UTIL and FB_USED of the card have no pod, and each pod has its own;
  everything else is repeated for each pod.
- k8s-worker5: an exporter before 4.8, which repeats the card's GPU_UTIL and FB_USED too. One pod holds two slices.
  The node's name is in `Hostname`.
- gpu-large: two cards without sharing, one with a pod and one without.
- gpu-split: a card that MIG splits in two, where all that belongs to the card is told for each part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Series = tuple[str, dict[str, str], float]
PER_POD = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED")
WINDOW = {"window_size_in_ms": "300000"}


@dataclass
class Pod:
    """A pod with its slices of a card, the VRAM (MiB) that it uses and how busy it keeps the card (%)."""

    namespace: str
    name: str
    container: str
    vram: float = 0
    busy: float = 0
    slices: tuple[str, ...] = ("",)


@dataclass
class Card:
    """A card, or the part of one that MIG makes: values by field, without `DCGM_FI_DEV_` in front."""

    gpu: int
    uuid: str
    model: str
    values: dict[str, float]
    pods: list[Pod] = field(default_factory=list)
    part: tuple[str, str] | None = None
    xids: dict[int, int] = field(default_factory=dict)
    slowed: dict[str, int] = field(default_factory=dict)
    profiling: dict[str, float] = field(default_factory=dict)


@dataclass
class Node:
    """A node with its exporter. `apart`: the exporter tells pods apart; `shared`: the cards are shared."""

    name: str
    pool: str
    cards: list[Card]
    shared: bool = False
    apart: bool = True
    host_label: str = "hostname"
    up: bool = True

    def series(self, seconds: float = 0) -> Iterator[Series]:
        """Return what the exporter publishes so many seconds after its start; only the energy that was used grows."""
        for card in self.cards:
            own = {
                "gpu": str(card.gpu),
                "UUID": card.uuid,
                "pci_bus_id": f"00000000:0{card.gpu + 1}:00.0",
                "device": f"nvidia{card.gpu}",
                "modelName": card.model,
                **({"GPU_I_PROFILE": card.part[0], "GPU_I_ID": card.part[1]} if card.part else {}),
                self.host_label: self.name,
            }
            for name, labels, value in _of_card(card, seconds):
                yield from self._spread(card, name, {**own, **labels}, value)

    def _spread(self, card: Card, name: str, labels: dict[str, str], value: float) -> Iterator[Series]:
        """Repeat a value of the card for its pods, or split it, as the exporter does."""
        split = self.shared and self.apart and name in PER_POD
        if split or not card.pods:
            yield name, labels, value
        for pod in card.pods:
            for vgpu in pod.slices:
                who = {"namespace": pod.namespace, "pod": pod.name, "container": pod.container}
                shared = {"vgpu": vgpu, "pod_uid": f"uid-of-{pod.name}"} if vgpu else {}
                own = {PER_POD[0]: pod.busy, PER_POD[1]: pod.vram}[name] if split else value
                yield name, {**labels, **who, **shared}, own


def _of_card(card: Card, seconds: float) -> Iterator[Series]:
    for name, value in card.values.items():
        used = 1000 * card.values["POWER_USAGE"] * seconds if name == "TOTAL_ENERGY_CONSUMPTION" else 0  # in mJ
        yield f"DCGM_FI_DEV_{name}", {}, value + used
    for name, value in card.profiling.items():
        yield f"DCGM_FI_PROF_{name}", {}, value
    for metric, label, counts in (
        ("DCGM_EXP_XID_ERRORS_COUNT", "xid", {str(xid): count for xid, count in card.xids.items()}),
        ("DCGM_EXP_CLOCK_EVENTS_COUNT", "clock_event", card.slowed),
    ):
        for reason, count in counts.items():
            yield metric, {**WINDOW, label: reason}, count
        if not counts:
            yield metric, WINDOW, 0


@dataclass
class Fleet:
    """The nodes, and what kube-state-metrics says that they offer."""

    nodes: dict[str, Node]
    offered: dict[tuple[str, str], float]

    def card(self, node: str, index: int = 0) -> Card:
        """Return a card of a node."""
        return self.nodes[node].cards[index]

    def kube_state_metrics(self) -> Iterator[Series]:
        """Return the two metrics of kube-state-metrics that the alerts read."""
        for name in self.nodes:
            yield "kube_node_info", {"node": name}, 1
            yield "kube_node_status_allocatable", {"node": name, "resource": "cpu", "unit": "core"}, 16
        for (name, resource), count in self.offered.items():
            yield "kube_node_status_allocatable", {"node": name, "resource": resource, "unit": "integer"}, count


def at_work() -> Fleet:
    """Return the fleet at work, with nothing to alert on."""
    common = {"MEM_COPY_UTIL": 31, "ENC_UTIL": 0, "DEC_UTIL": 3, "XID_ERRORS": 0, "PCIE_REPLAY_COUNTER": 7}
    worker4 = Card(
        0,
        "GPU-4",
        "NVIDIA GeForce RTX 5070 Ti",
        {
            **common,
            "GPU_UTIL": 88,
            "FB_TOTAL": 16303,
            "FB_USED": 12952,
            "FB_FREE": 2988,
            "FB_RESERVED": 363,
            "GPU_TEMP": 61,
            "GPU_TEMP_LIMIT": 27,
            # Newer cards answer with a distance where older ones have the limit itself.
            "SLOWDOWN_TEMP": -2,
            "FAN_SPEED": 45,
            "POWER_USAGE": 210,
            "ENFORCED_POWER_LIMIT": 300,
            "TOTAL_ENERGY_CONSUMPTION": 5e9,
            "SM_CLOCK": 2610,
            "MEM_CLOCK": 13801,
        },
        [
            Pod("ollama", "ollama-0", "ollama", 6144, 40, ("0",)),
            Pod("comfyui", "comfyui-7d", "comfyui", 2100, 25, ("1",)),
            Pod("kubeflow-user", "notebook-0", "notebook", 1536, 0, ("2",)),
            Pod("kubeflow-user", "training-x", "training", 2048, 20, ("3",)),
            Pod("kubeflow-user", "katib-trial-y", "trial", 1024, 5, ("4",)),
        ],
        slowed={"power_cap": 4, "gpu_idle": 1},
    )
    worker5 = Card(
        0,
        "GPU-5",
        "NVIDIA GeForce RTX 3060",
        {
            **common,
            "GPU_UTIL": 50,
            "FB_TOTAL": 12288,
            "FB_USED": 5000,
            "FB_FREE": 7088,
            "FB_RESERVED": 200,
            "GPU_TEMP": 55,
            "SLOWDOWN_TEMP": 93,
            "FAN_SPEED": 30,
            "POWER_USAGE": 100,
            "ENFORCED_POWER_LIMIT": 170,
            "TOTAL_ENERGY_CONSUMPTION": 1e9,
            "SM_CLOCK": 1800,
            "MEM_CLOCK": 7501,
        },
        [Pod("media", "plex-0", "plex", slices=("0",)), Pod("ml", "batch-1", "batch", slices=("1", "2"))],
    )
    large = [
        Card(
            index,
            f"GPU-L{index}",
            "NVIDIA A100-SXM4-80GB",
            {
                **common,
                "GPU_UTIL": busy,
                "FB_TOTAL": 81920,
                "FB_USED": used,
                "FB_FREE": 81920 - 500 - used,
                "FB_RESERVED": 500,
                "GPU_TEMP": temperature,
                "SLOWDOWN_TEMP": 93,
                "MEMORY_TEMP": temperature - 10,
                "POWER_USAGE": power,
                "ENFORCED_POWER_LIMIT": 400,
                "TOTAL_ENERGY_CONSUMPTION": 9e9,
                "SM_CLOCK": 1410,
                "MEM_CLOCK": 1593,
            },
            [Pod("llm", "vllm-0", "vllm")] if index == 0 else [],
            profiling={"GR_ENGINE_ACTIVE": busy / 100, "PIPE_TENSOR_ACTIVE": 0.4 * busy / 100, "DRAM_ACTIVE": 0.5},
        )
        for index, busy, used, temperature, power in ((0, 97, 60000, 64, 310), (1, 0, 10, 38, 60))
    ]
    split = [
        Card(
            0,
            "GPU-S",
            "NVIDIA A30",
            {
                "FB_TOTAL": 11900,
                "FB_USED": used,
                "FB_FREE": 11900 - used,
                "FB_RESERVED": 0,
                "GPU_TEMP": 44,
                "MEMORY_TEMP": 40,
                "POWER_USAGE": 90,
                "ENFORCED_POWER_LIMIT": 165,
                "TOTAL_ENERGY_CONSUMPTION": 2e9,
                "SM_CLOCK": 1440,
                "MEM_CLOCK": 1215,
                "XID_ERRORS": 0,
                "PCIE_REPLAY_COUNTER": 0,
            },
            pods,
            part=("2g.12gb", number),
        )
        for number, used, pods in (("1", 3000, [Pod("ml", "small-0", "main")]), ("2", 100, []))
    ]
    nodes = [
        Node("k8s-worker4", "worker4", [worker4], shared=True),
        Node("k8s-worker5", "older", [worker5], shared=True, apart=False, host_label="Hostname"),
        Node("gpu-large", "large", large),
        Node("gpu-split", "split", split),
    ]
    offered = {
        ("k8s-worker4", "nvidia_com_gpu"): 5.0,
        ("k8s-worker5", "nvidia_com_gpu"): 3.0,
        ("gpu-large", "nvidia_com_gpu"): 2.0,
        ("gpu-split", "nvidia_com_mig_2g_12gb"): 2.0,
    }
    return Fleet({node.name: node for node in nodes}, offered)


def _vram_fills_up(fleet: Fleet) -> None:
    card = fleet.card("k8s-worker4")
    card.pods[1].vram = 4096
    card.values |= {"FB_USED": 15000, "FB_FREE": 940}


def _cards_get_hot(fleet: Fleet) -> None:
    card = fleet.card("k8s-worker4")
    card.values |= {"GPU_TEMP": 84, "GPU_TEMP_LIMIT": 4}
    card.slowed = {"hw_thermal": 6, "sw_thermal": 2}
    for part in fleet.nodes["gpu-split"].cards:
        part.values["GPU_TEMP"] = 86


def _power_runs_short(fleet: Fleet) -> None:
    fleet.card("gpu-large").values["POWER_USAGE"] = 398
    fleet.card("k8s-worker4").slowed = {"hw_power_brake": 2}


def _xid_errors(fleet: Fleet) -> None:
    fleet.card("k8s-worker4").xids = {31: 2}
    fleet.card("k8s-worker5").xids = {8: 1}
    fleet.card("gpu-large", 1).xids = {79: 1}


def _nobody_works(fleet: Fleet) -> None:
    card = fleet.card("k8s-worker4")
    card.values["GPU_UTIL"] = 0
    for pod in card.pods:
        pod.busy = 0


def _gpus_are_no_longer_offered(fleet: Fleet) -> None:
    fleet.offered["k8s-worker4", "nvidia_com_gpu"] = 0
    del fleet.offered["gpu-split", "nvidia_com_mig_2g_12gb"]


def _a_card_falls_off_the_bus(fleet: Fleet) -> None:
    del fleet.nodes["gpu-large"].cards[1]


def _exporters_stop(fleet: Fleet) -> None:
    for name in ("k8s-worker4", "gpu-large"):
        fleet.nodes[name].up = False


STEPS = {
    "VRAM fills up": _vram_fills_up,
    "cards get hot": _cards_get_hot,
    "power runs short": _power_runs_short,
    "XID errors": _xid_errors,
    "nobody works": _nobody_works,
    "GPUs are no longer offered": _gpus_are_no_longer_offered,
    "a card falls off the bus": _a_card_falls_off_the_bus,
    "exporters stop": _exporters_stop,
}


def step(name: str) -> Fleet:
    """Return the fleet in one of the load steps, which differs from the fleet at work in what its name says."""
    fleet = at_work()
    STEPS[name](fleet)
    return fleet
