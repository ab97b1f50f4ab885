"""Programs that make what is committed: run them from the repository's root with `python -m scripts.NAME`."""
