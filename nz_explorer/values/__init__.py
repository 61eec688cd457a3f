"""Numbers: windows of arrays, decoded chunks, cell states, coordinates, and xarray's view of them."""
