"""What rules on finished objects have in common: who makes a label, what a selector matches, which pod is what."""
