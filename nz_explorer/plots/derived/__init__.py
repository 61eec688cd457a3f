"""Pictures of what is made of several slices."""
