"""End-to-end proof: a real Kubernetes control plane, Flux, NFD and NVIDIA's own programs, without containers.

`python -m tests.e2e build` builds the programs from the Go modules below `go/`; `python -m tests.e2e` puts the cluster
together on loopback and runs a scenario against it. Start reading in `cluster.py`.
"""
