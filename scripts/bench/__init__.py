"""How long gpuc takes, beside the programs that do the same work today: docs/adr/0060-beside-todays-pipeline.md."""
