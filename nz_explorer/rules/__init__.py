"""What must hold: the rules, the engine that evaluates them, and reports of what it found."""
