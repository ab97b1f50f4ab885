"""Builds the dashboard's JSON with Grafana's own library."""

from __future__ import annotations

from itertools import count
from typing import Any

from grafana_foundation_sdk.builders import bargauge, common, dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as common_models
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models import prometheus as prometheus_models

from compiler.monitoring.dashboard import RUNBOOK
from scripts.dashboard.panels import ROWS, Panel, Query

UID = "gpuc-gpus"
_DATASOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
_HIDDEN = ("Time", "__name__")
_YES = True


def build() -> str:
    """Return the dashboard as JSON that ends with a newline."""
    board = (
        dashboard.Dashboard("GPUs")
        .uid(UID)
        .description("Utilisation, VRAM, temperature and power of the GPUs, and the pods that use them.")
        .tags(["gpu", "nvidia", "gpuc"])
        .refresh("30s")
        .time("now-3h", "now")
        .timezone("browser")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .editable()
        .link(dashboard.DashboardLink("Runbook").type(models.DashboardLinkType.LINK).url(RUNBOOK).target_blank(_YES))
        .with_variable(dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus"))
        .with_variable(_variable("node", "Node", "label_values(DCGM_FI_DEV_GPU_TEMP, node)"))
        .with_variable(_variable("card", "Card", 'label_values(DCGM_FI_DEV_GPU_TEMP{node=~"$node"}, UUID)'))
    )
    number = count(1)
    for title, panels in ROWS:
        board.with_row(dashboard.Row(title).id(next(number)))
        for panel in panels:
            board.with_panel(_panel(panel).id(next(number)))
    text: str = JSONEncoder(sort_keys=True, indent=1, ensure_ascii=False).encode(board.build())
    return text + "\n"


def _variable(name: str, label: str, query: str) -> dashboard.QueryVariable:
    """Return a variable that takes all by default, series without the label included."""
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .datasource(_DATASOURCE)
        .query({"query": query, "refId": name})
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(models.VariableSort.ALPHABETICAL_ASC)
        .multi(_YES)
        .include_all(_YES)
        .all_value(".*")
        .current(models.VariableOption(text=["All"], value=["$__all"], selected=True))
    )


def _panel(panel: Panel) -> Any:
    made: Any = _KINDS[panel.kind](panel)
    made.title(panel.title).description(panel.description).no_value(panel.no_data).datasource(_DATASOURCE)
    made.unit(panel.unit).span(panel.width).height(panel.height)
    for index, query in enumerate(panel.queries):
        made.with_target(_target(query, "ABCDEFGH"[index], panel.kind))
    return made


def _target(query: Query, ref: str, kind: str) -> prometheus.Dataquery:
    target = prometheus.Dataquery().expr(query.expr).legend_format(query.legend).ref_id(ref).datasource(_DATASOURCE)
    if kind == "timeseries":
        return target.range()
    target.instant()
    return target.format(prometheus_models.PromQueryFormat.TABLE) if kind == "table" else target


def _stat(_: Panel) -> stat.Panel:
    return (
        stat.Panel()
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .graph_mode(common_models.BigValueGraphMode.NONE)
    )


def _bargauge(_: Panel) -> bargauge.Panel:
    made = bargauge.Panel().orientation(common_models.VizOrientation.HORIZONTAL).min(0).max(100)
    return made.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))


def _timeseries(panel: Panel) -> timeseries.Panel:
    made = timeseries.Panel().min(0).line_width(1).fill_opacity(40 if panel.stacked else 10)
    made.legend(
        common.VizLegendOptions()
        .display_mode(common_models.LegendDisplayMode.TABLE)
        .placement(common_models.LegendPlacement.BOTTOM)
        .show_legend(_YES)
        .calcs(["lastNotNull", "max"])
    )
    made.tooltip(common.VizTooltipOptions().mode(common_models.TooltipDisplayMode.MULTI))
    if panel.stacked:
        made.stacking(common.StackingConfig().mode(common_models.StackingMode.NORMAL).group("pods"))
        for query in panel.queries:
            if query.line:
                made.override_by_name(query.legend, _LINE)
    return made


_LINE = [
    models.DynamicConfigValue(id_val="custom.stacking", value={"mode": "none", "group": "pods"}),
    models.DynamicConfigValue(id_val="custom.fillOpacity", value=0),
    models.DynamicConfigValue(id_val="custom.lineWidth", value=2),
]


def _table(panel: Panel) -> table.Panel:
    made = table.Panel()
    several = len(panel.queries) > 1
    names = [f"Value #{'ABCDEFGH'[index]}" if several else "Value" for index in range(len(panel.queries))]
    if several:
        made.with_transformation(
            models.DataTransformerConfig(id_val="joinByField", options={"byField": "node", "mode": "outer"})
        )
    hidden = [
        *_HIDDEN,
        *(f"Time {index + 1}" for index in range(len(panel.queries))),
        *([] if panel.columns else names),
    ]
    made.with_transformation(
        models.DataTransformerConfig(
            id_val="organize",
            options={
                "excludeByName": dict.fromkeys(hidden, True),
                "renameByName": {name: title for name, (title, _) in zip(names, panel.columns, strict=False)},
            },
        )
    )
    for title, unit in panel.columns:
        made.override_by_name(title, [models.DynamicConfigValue(id_val="unit", value=unit)])
    return made


_KINDS = {"stat": _stat, "timeseries": _timeseries, "table": _table, "bargauge": _bargauge}
