"""CS: arrays that hold where each element is."""
