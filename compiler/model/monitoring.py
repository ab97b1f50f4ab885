"""What is monitored, and how: the stack's `monitoring` block, and how the exporter is scraped."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from compiler.model.base import Mistake, Model
from compiler.model.kube import Annotations, Labels
from compiler.model.scalars import Duration, LabelKey, LabelValue, Text, form, seconds

Percent = Annotated[int, Field(ge=1, le=100)]
XidNumber = Annotated[int, Field(ge=1, le=999)]


class Relabeling(Model):
    """A relabelling step of Prometheus."""

    action: Annotated[str, Field(pattern=r"^[A-Za-z]+$")] = Field("replace", description="What the step does.")
    source_labels: tuple[Text, ...] = Field((), description="Labels that are read.")
    separator: str | None = Field(None, description="Joins their values.")
    regex: str | None = Field(None, description="Matched against the joined values.")
    modulus: int | None = Field(None, gt=0, description="For action hashmod.")
    target_label: Text | None = Field(None, description="Label that is written.")
    replacement: str | None = Field(None, description="What is written.")


class ServiceMonitor(Model):
    """Scraping by the Prometheus operator, or by VictoriaMetrics' operator, which reads the same object."""

    enabled: bool = Field(default=False, description="Whether the monitoring root has a ServiceMonitor.")
    interval: Duration = Field(
        "15s",
        description="Time between two scrapes; the exporter reads the cards as often, operator or not.",
    )
    scrape_timeout: Duration = Field("10s", description="Time after which a scrape is given up; at most the interval.")
    honor_labels: bool = Field(
        default=False,
        description="Let labels of the exporter win over those of the scrape. Not needed for pod, namespace and "
        "container: gpuc takes the exporter's own ones off, so that they are the workload's.",
    )
    additional_labels: Labels = Field({}, description="Labels that your Prometheus selects ServiceMonitors by.")
    relabelings: tuple[Relabeling, ...] = Field((), description="Applied before the scrape, after gpuc's own.")
    metric_relabelings: tuple[Relabeling, ...] = Field((), description="Applied to what was scraped, after gpuc's own.")

    @model_validator(mode="after")
    def _timeout_within_interval(self) -> Self:
        if seconds(self.scrape_timeout) > seconds(self.interval):
            raise Mistake(
                f"scrapeTimeout {self.scrape_timeout} is longer than interval {self.interval}: the operator refuses it",
                f"set `scrapeTimeout` to {self.interval} or less",
            )
        return self


class CustomResource(Model):
    """A CustomResourceDefinition of the Prometheus operator."""

    managed: Literal["gpuc", "external"] = Field(
        "external",
        description="external when an operator or its CRD chart brings it; gpuc puts it into the monitoring root.",
    )


class Dashboard(Model):
    """The Grafana dashboard, as a ConfigMap that the sidecar of Grafana's chart loads."""

    enabled: bool = Field(default=False, description="Whether the monitoring root has the dashboard.")
    label: LabelKey = Field("grafana_dashboard", description="Label that the sidecar looks for.")
    label_value: LabelValue = Field("1", description="Value of that label.")
    folder: Text | None = Field(None, description="Folder in Grafana; the sidecar must know folderAnnotation.")
    folder_annotation: LabelKey = Field("grafana_folder", description="Annotation in which the sidecar finds it.")
    labels: Labels = Field({}, description="Further labels of the ConfigMap.")
    annotations: Annotations = Field({}, description="Further annotations of the ConfigMap.")


class Xid(Model):
    """XID errors by severity; what stands in neither list is a warning."""

    critical: tuple[XidNumber, ...] = Field(
        (48, 62, 64, 74, 79, 95, 119, 120, 140, 143, 154),
        description="XIDs after which the card or the node is broken or must be reset.",
    )
    application: tuple[XidNumber, ...] = Field(
        (13, 31, 43, 45, 68, 109),
        description="XIDs that a program causes by itself: those that NVIDIA's device plugin ignores.",
    )

    @model_validator(mode="after")
    def _in_one_list(self) -> Self:
        both = sorted(set(self.critical) & set(self.application))
        if both:
            raise Mistake(
                f"XID {', '.join(map(str, both))} cannot be both critical and an application's",
                "take it out of one of the two lists",
            )
        return self


class Thresholds(Model):
    """When an alert fires, and how long its condition must hold before."""

    vram: Percent = Field(92, description="VRAM in use, in percent of the card's.")
    vram_for: Duration = Field("5m", description="How long VRAM is nearly full.")
    temperature_margin: int = Field(5, ge=0, le=50, description="Degrees Celsius below the card's own slowdown limit.")
    temperature: int = Field(
        85, ge=30, le=120, description="Degrees Celsius, for cards that do not tell their slowdown limit."
    )
    temperature_for: Duration = Field("5m", description="How long the card is that hot, or slowed down by heat.")
    power: Percent = Field(98, description="Power draw in percent of the card's limit.")
    power_for: Duration = Field("30m", description="How long the card draws that much.")
    idle: int = Field(1, ge=0, le=100, description="Utilisation in percent at or below which a card counts as idle.")
    idle_for: Duration = Field("2h", description="How long a card is idle while pods hold slices of it.")
    allocatable_for: Duration = Field("10m", description="How long a node offers less than what was compiled.")
    exporter_for: Duration = Field("10m", description="How long a node's cards are not seen.")


class Rules(Model):
    """Recording rules and alerts, as a PrometheusRule, which VictoriaMetrics' operator reads too."""

    enabled: bool = Field(default=False, description="Whether the monitoring root has a PrometheusRule.")
    labels: Labels = Field({}, description="Labels that your Prometheus selects PrometheusRules by.")
    alert_labels: dict[Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$")], Text] = Field(
        {}, description="Labels that every alert carries, for Alertmanager's routes."
    )
    interval: Duration = Field("30s", description="Time between two evaluations.")
    thresholds: Thresholds = Field(Thresholds(), description="When the alerts fire.")
    xid: Xid = Field(Xid(), description="XID errors by severity.")
    kube_state_metrics: bool = Field(
        default=True,
        description="Compare what nodes offer with what was compiled; without kube-state-metrics it never fires.",
    )
    runbook_url: Annotated[
        Text, Field(pattern=form(r"^[^\s{}]+$", "must be an address or path without spaces and braces"))
    ] = Field(
        "docs/alerts.md",
        description="Page that alerts link to, with the alert's name in small letters as the anchor.",
    )


class Monitoring(Model):
    """What the monitoring root holds besides the ServiceMonitor, and what it builds on."""

    service_monitor_crd: CustomResource = Field(CustomResource(), description="Who brings the ServiceMonitor CRD.")
    prometheus_rule_crd: CustomResource = Field(CustomResource(), description="Who brings the PrometheusRule CRD.")
    dashboard: Dashboard = Field(Dashboard(), description="The Grafana dashboard.")
    rules: Rules = Field(Rules(), description="Recording rules and alerts.")
    plain_files: bool = Field(
        default=False,
        description="Also write rules and a scrape job as plain files below out/prometheus/, for a Prometheus or "
        "VictoriaMetrics without an operator.",
    )
