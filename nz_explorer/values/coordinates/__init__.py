"""What labels the axes of an array: coordinate values, dates, labels, and whether they are monotonic."""
