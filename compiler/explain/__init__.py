"""Says of every line below out/ where it comes from, and why it is so."""
