"""CF: what programs for maps need of coordinates, of the reference system, and of transforms beside them."""
