"""Writes first inputs: what somebody chose on a command line, or imported, as base/stack.yaml and an overlay."""
