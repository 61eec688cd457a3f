"""References as kerchunk and VirtualiZarr write them: a Zarr store whose chunks are parts of other files."""
