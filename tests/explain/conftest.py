from __future__ import annotations

from pathlib import Path

import pytest

from compiler.pipeline import Built, build
from tests.inputs.project import write

STACK = """\
apiVersion: gpuc/v1alpha1
kind: GPUStack
namespace: nvidia-gpu-operator
kubernetes: {version: "1.34"}
platform: {os: talos, version: v1.13.3}
runtimeClass: {name: nvidia, handler: nvidia}
nodeFeatureDiscovery:
  version: v0.19.0
  worker:
    resources: {requests: {cpu: 10m}}
devicePlugin:
  version: v0.20.0
  deviceDiscoveryStrategy: nvml
  deviceListStrategy: [envvar]
dcgmExporter:
  version: 4.5.3-4.8.2-distroless
  resources:
    limits: {memory: 1Gi}
  serviceMonitor:
    enabled: true
    interval: 30s
monitoring:
  dashboard: {enabled: true}
  rules: {enabled: true}
delivery:
  flux:
    source: {managed: external, kind: GitRepository, name: flux-system}
    interval: 1h
  argocd:
    repoURL: https://example.com/gpu.git
"""
OVERLAY = """\
apiVersion: gpuc/v1alpha1
kind: Overlay
cluster: homelab
nodePools:
  - name: worker4
    nodes: [{name: k8s-worker4, address: 192.168.1.224}]
    taints: [{key: dedicated, value: ai, effect: NoSchedule}]
    gpu: {product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi}
    sharing: {strategy: time-slicing, replicas: 5}
    mig: {strategy: none}
    talos: {driver: production, modules: open, extensions: [siderolabs/iscsi-tools]}
workloads:
  - {name: ollama, namespace: ollama, vram: 6Gi}
overrides:
  devicePlugin:
    failOnInitError: false
patches:
  - path: priority.yaml
"""
PATCH = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin, namespace: nvidia-gpu-operator}
spec: {minReadySeconds: 5}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "base/stack.yaml": STACK,
        "overlays/worker4/overlay.yaml": OVERLAY,
        "overlays/worker4/priority.yaml": PATCH,
    }
    return write(tmp_path, files)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    root = tmp_path_factory.mktemp("explained")
    files = {
        "base/stack.yaml": STACK,
        "overlays/worker4/overlay.yaml": OVERLAY,
        "overlays/worker4/priority.yaml": PATCH,
    }
    return build(write(root, files))
