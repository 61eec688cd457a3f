"""CS: the time object of coordinates."""
