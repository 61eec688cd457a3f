"""What takes all of an array: a census of its chunks, and a scan of its values for statistics and histograms."""
