"""What pictures are drawn with: the view, cells, legends, ticks."""
