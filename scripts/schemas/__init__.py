"""Makes the data under compiler/schemas/: custom resource definitions, and the JSON Schemas that kubeconform reads.

Run `python -m scripts.schemas` to write the data, with `--check` to say whether it is current.
"""
