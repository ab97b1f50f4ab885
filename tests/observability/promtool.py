"""The proof with Prometheus' own engine: `promtool test rules` over the unchanged rules, in their own time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from compiler.model.scalars import seconds
from compiler.objects import Json, Obj
from tests.observability.compiled import Monitoring, PanelQuery
from tests.observability.expectations import Expected, Firing, Labels, Vector
from tests.observability.fleet import Series, at_work, step
from tests.observability.labelled import scraped

# The longest that a condition must hold, with time for an hour of looking back.
_MINUTES = 200
_AT_WORK_UNTIL = 10


def check(program: Path, folder: Path, monitoring: Monitoring, expected: Expected) -> str:
    """Run promtool over rules and tests, and return its output. Raises AssertionError with it where a test fails."""
    folder.mkdir(parents=True, exist_ok=True)
    rules, tests = folder / "rules.yaml", folder / "tests.yaml"
    # JSON is YAML.
    rules.write_text(json.dumps({"groups": monitoring.groups}), "utf-8")
    tests.write_text(json.dumps(test_file(monitoring, expected)), "utf-8")
    output = ""
    for verb, file in (("check", rules), ("test", tests)):
        done = subprocess.run([program, verb, "rules", file], capture_output=True, text=True, check=False)
        output += done.stdout + done.stderr
        if done.returncode:
            raise AssertionError(output)
    return output


def test_file(monitoring: Monitoring, expected: Expected) -> Obj:
    """Return the tests as promtool reads them: the fleet at work, and each load step."""
    return {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "fuzzy_compare": True,
        "group_eval_order": [group["name"] for group in monitoring.groups],
        "tests": [_at_work(monitoring, expected), *(_step(name, monitoring, expected) for name in expected.steps)],
    }


def _at_work(monitoring: Monitoring, expected: Expected) -> Obj:
    answers = [(query.expr, vector) for query, vector in queries_with_answers(monitoring, expected)]
    answers += expected.sums.items()
    return {
        "name": "at work",
        "interval": "1m",
        "input_series": _lasting(monitoring),
        "promql_expr_test": [{"expr": expr, "eval_time": "90m", "exp_samples": _samples(v)} for expr, v in answers],
        "alert_rule_test": [{"eval_time": f"{_MINUTES}m", "alertname": name} for name in monitoring.alerts],
    }


def _step(name: str, monitoring: Monitoring, expected: Expected) -> Obj:
    """Return the test of one step: the fleet works for ten minutes, then the step begins and lasts."""
    before = {_key(series): series for series in scraped(at_work(), monitoring.endpoint)}
    after = {_key(series): series for series in scraped(step(name), monitoring.endpoint)}
    firing: dict[str, list[Firing]] = {}
    for alert in expected.steps[name]:
        firing.setdefault(alert.alert, []).append(alert)
    tests: list[Obj] = []
    for alert_name, rule in monitoring.alerts.items():
        hold = seconds(rule.get("for", "0s")) // 60
        found = firing.get(alert_name, [])
        if found and hold:
            tests.append({"eval_time": f"{_AT_WORK_UNTIL + hold - 1}m", "alertname": alert_name})
        at = _AT_WORK_UNTIL + hold + 1 if found else _MINUTES
        # An exporter that is gone is only missed for an hour where its node is not named.
        at = min(at, _AT_WORK_UNTIL + 50) if name == "exporters stop" else at
        tests.append({"eval_time": f"{at}m", "alertname": alert_name, "exp_alerts": [_alert(a, rule) for a in found]})
    return {
        "name": name,
        "interval": "1m",
        "input_series": [
            {"series": _name(before.get(key) or after[key]), "values": _values(before.get(key), after.get(key))}
            for key in {**before, **after}
        ],
        "alert_rule_test": tests,
    }


def queries_with_answers(monitoring: Monitoring, expected: Expected) -> list[tuple[PanelQuery, Vector]]:
    """Return every query of the dashboard with what it must answer."""
    answers = {panel: iter(vectors) for panel, vectors in expected.panels.items()}
    return [(query, next(answers[query.panel])) for query in monitoring.queries]


def _alert(firing: Firing, rule: Obj) -> Obj:
    annotations = rule["annotations"]
    description = firing.description if firing.description is not None else annotations["description"]
    return {
        "exp_labels": {**dict(firing.labels), **rule["labels"]},
        "exp_annotations": {**annotations, "summary": firing.summary, "description": description},
    }


def _key(series: Series) -> tuple[str, Labels]:
    return series[0], tuple(sorted(series[1].items()))


def _name(series: Series) -> str:
    return f"{series[0]}{_shown(series[1].items())}"


def _lasting(monitoring: Monitoring) -> list[Json]:
    """Return the series of the fleet at work, from minute to minute."""
    now, later = (list(scraped(at_work(), monitoring.endpoint, seconds)) for seconds in (0, 60))
    return [
        {"series": _name(item), "values": f"{item[2]:.12g}+{then[2] - item[2]:.12g}x{_MINUTES}"}
        for item, then in zip(now, later, strict=True)
    ]


def _values(before: Series | None, after: Series | None) -> str:
    first = f"{before[2]:g}x{_AT_WORK_UNTIL - 1}" if before else f"_x{_AT_WORK_UNTIL}"
    return f"{first} {f'{after[2]:g}x{_MINUTES}' if after else 'stale'}"


def _samples(vector: Vector) -> list[Json]:
    return [{"labels": _shown(labels), "value": value} for labels, value in vector.items()]


def _shown(labels: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in labels) + "}"
