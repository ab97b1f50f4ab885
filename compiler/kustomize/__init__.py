"""Turns the objects of the components into the files of `out/`: a Kustomize tree in plain, reviewable YAML."""
