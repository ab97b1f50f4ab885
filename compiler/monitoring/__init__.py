"""Metrics of the DCGM exporter, PromQL over them that counts no card twice, and the rules and dashboard made of it."""
