"""Proof that dashboard and alerts are right: a real VictoriaMetrics scrapes exporters whose numbers are known.

Run `make observe`. It builds VictoriaMetrics, vmalert and promtool from Go modules, which takes minutes the first time.
"""
