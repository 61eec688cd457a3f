"""CS: arrays that hold where each element is, and the reference systems that coordinates and positions are in."""
