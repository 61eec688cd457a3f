"""Which cells hold a value, and why the others do not: for pictures, for Python, and as several readers have it."""
