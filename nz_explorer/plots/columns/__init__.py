"""The one-dimensional arrays of a group that share a dimension: as a table, and two of them as a scatter."""
