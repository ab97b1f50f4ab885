"""Builds the Grafana dashboard, and the page and picture that describe it.

Run `python -m scripts.dashboard` to write them, with `--check` to say whether they are current.
"""
