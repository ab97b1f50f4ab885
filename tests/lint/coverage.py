"""What is known to go wrong with GPU stacks, row by row, and the inputs that show that lint finds it.

`reports` are public reports of stacks that looked right, `mistakes` what was counted in public repositories, both in
the order in which they were collected; `cases` are situations with an outcome. A row's value is the names of inputs
below cases/; where lint cannot see the mistake, it is the reason.
"""

from __future__ import annotations

REPORTS: dict[str, tuple[str, ...] | str] = {
    "label-that-nobody-produces": ("label-nobody-makes", "empty-affinity"),
    "label-format-and-affinity-disagree": ("pci-label-form",),
    "nfd-worker-taint": ("worker-taint", "worker-taint-assumed"),
    "exporter-taint-and-nodes-without-a-gpu": ("exporter-taint", "exporter-anywhere"),
    "runtime-class-name-missing": ("no-runtime-class", "no-runtime-class-exporter"),
    "volume-mounts-without-sys-admin": ("volume-mounts",),
    "no-nvidia-handler-on-the-node": ("handler",),
    "sharing-not-wired-in-or-never-rolled-out": ("config-not-wired", "config-never-rolls-out"),
    "one-replica-and-more-than-one-slice": ("one-replica", "two-slices"),
    "shared-selectors-and-unasked-mps": ("shared-selectors", "mps-nobody-asked-for"),
    "metrics-under-time-slicing": ("shared-metrics",),
    "service-monitor-not-selected": ("unknown-key-exporter", "monitor-port"),
    "objects-without-a-namespace": ("no-namespace",),
    "crds-missing": ("kustomize-crds", "nfd-crds-complete"),
    "cdi-hook-path": ("cdi-hook", "cdi-too-early"),
}
MISTAKES: dict[str, tuple[str, ...] | str] = {
    "selector-for-a-label-nobody-makes": ("label-nobody-makes", "nfd-crds-complete"),
    "empty-affinity": ("empty-affinity",),
    "extra-env-as-mapping": ("env-as-mapping",),
    "keys-that-the-chart-does-not-know": (
        *("unknown-key-plugin", "unknown-key-exporter", "mps-node-selector", "exporter-env", "nfd-top-tolerations"),
        *("argo-values", "argo-parameters", "argo-values-object", "k3s-values", "bare-values", "umbrella-values"),
    ),
    "resources-in-the-configuration": ("typed-resources",),
    "rename-by-default-in-flags": ("rename-in-flags",),
    "default-configuration-that-is-not-there": ("default-that-is-not-there", "name-and-map"),
    "two-device-plugins-or-two-nfds": ("two-plugins", "two-nfds"),
    "nfd-worker-taint-also-no-execute": ("worker-taint", "no-execute"),
    "no-runtime-class-and-no-default-runtime": ("no-runtime-class",),
    "exporter-requests-a-gpu": ("exporter-takes-a-slice",),
    "time-slicing-with-attribution-left-as-it-is": ("shared-metrics",),
    "scrape-timeout-above-interval": ("timeout-above-interval", "timeout-of-the-chart"),
    "depends-on-what-is-never-waited-for": ("flux-not-waited-for",),
    "health-check-on-a-version-that-is-gone": ("flux-health-check",),
    "namespace-without-privileged-label": ("namespace-baseline",),
    "restricted-label-in-talos": ("restricted-node-label", "restricted-node-label-new"),
    "config-map-without-hash": ("config-never-rolls-out",),
    "wrong-name-of-discovery-strategy": ("wrong-env-name",),
    "service-for-metrics-of-the-plugin": ("plugin-metrics",),
    "image-and-chart-version-apart": ("chart-and-image",),
    "node-in-a-pruned-kustomization": ("node-object",),
    "request-and-pin": ("request-and-pin",),
    "pascal-with-production-driver": "no manifest names the card: the rule on overlays, GPU502, finds it",
    "allocatable-zero-after-boot": "nothing in a manifest shows it: only a live cluster does",
}
CASES: dict[str, tuple[str, ...] | str] = {
    **{
        name: (name,)
        for name in (
            *("label-nobody-makes", "pci-label-form", "worker-taint", "empty-affinity", "env-as-mapping"),
            *("unknown-key-plugin", "unknown-key-exporter", "rename-in-flags", "typed-resources", "typo-sharing"),
            *("default-that-is-not-there", "two-profiles", "no-runtime-class", "exporter-takes-a-slice"),
            *("shared-metrics", "timeout-above-interval", "namespace-baseline", "restricted-node-label"),
            *("hyphen-modules", "wrong-env-name", "flux-substitution", "two-slices", "request-and-pin"),
        )
    },
    "pascal-production": "no manifest names the card: the rule on overlays, GPU502, finds it",
}
ROWS = {
    **{f"report/{name}": value for name, value in REPORTS.items()},
    **{f"mistake/{name}": value for name, value in MISTAKES.items()},
    **{f"case/{name}": value for name, value in CASES.items()},
}
