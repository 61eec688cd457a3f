"""The one-dimensional arrays of a group, drawn together."""
