"""How rules run: the registry, the evaluation and its counts, findings, fixes and budgets."""
