"""What people write, as frozen Pydantic models: shape here, relations between fields in `compiler.check`."""
