"""YAML out and back in: writes manifests that every reader understands alike, and reads what other tools print."""
