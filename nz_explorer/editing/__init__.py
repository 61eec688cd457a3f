"""Changes to documents: tried on an overlay, shown as a diff, and written when the user has agreed."""
