"""What is proven. Each scenario is a module with a function `prove(cluster, evidence)`."""
