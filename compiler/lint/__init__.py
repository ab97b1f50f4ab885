"""Runs the rules on what gpuc did not make: manifests, chart values, configurations, Talos patches."""
